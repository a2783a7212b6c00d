internal import Synchronization

/// An asynchronous sequence of the values, changes or events of one observation.
///
/// The observation begins when the sequence is made, not when its first element is requested. It ends as soon as one of these happens:
///
/// - The observed object, the observer or the controller is deallocated.
/// - The task that takes the elements is cancelled and asks for the next one, or waits for it.
/// - The sequence and all its iterators are released.
///
/// The sequence then delivers the elements in its buffer and ends. In a cancelled task it ends at once. If the observer does not own its
/// controller, the sequence ends with the first change after the observer was deallocated.
///
/// The sequence is never `Sendable`: use it in the isolation in which it was made. There the observed object is released. A
/// ``SharedObservationSequence`` may be sent to another task.
///
/// Several iterators share the elements: each element goes to one of them. When the task of one iterator is cancelled, the observation
/// ends. The other iterators get the elements in the buffer and then end.
public struct ObservationSequence<Element: Sendable>: AsyncSequence {
    private let shared: SharedObservationSequence<Element>

    @usableFromInline
    package init(_ shared: SharedObservationSequence<Element>) {
        self.shared = shared
    }

    /// The number of elements that the buffer has dropped so far.
    public var droppedCount: Int { shared.droppedCount }

    @usableFromInline
    var endReason: ObservationEndReason? { shared.endReason }

    /// An iterator that takes the elements, one after the other.
    public typealias Iterator = SharedObservationSequence<Element>.Iterator

    /// Makes an iterator over the elements.
    public func makeAsyncIterator() -> Iterator {
        shared.makeAsyncIterator()
    }
}

@available(*, unavailable, message: "Use this sequence where it was made, or use sharedValues(of:), or a SharedObservationController.")
extension ObservationSequence: Sendable {}

/// An asynchronous sequence that may be made in one task and used in another.
///
/// A ``SharedObservationController`` makes such sequences, and so do
/// ``KeyPathObservable/sharedValues(of:initial:removing:buffering:isolation:fileID:line:)`` and
/// ``KeyPathObservable/sharedChanges(of:options:buffering:isolation:fileID:line:)``. The observed object is `Sendable`. Otherwise the
/// sequence works like an ``ObservationSequence``.
public struct SharedObservationSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let stream: AsyncStream<Element>
    private let source: SequenceSource<Element>

    init(_ stream: AsyncStream<Element>, _ source: SequenceSource<Element>) {
        self.stream = stream
        self.source = source
    }

    /// The number of elements that the buffer has dropped so far.
    public var droppedCount: Int { source.elements.droppedCount }

    @usableFromInline
    var endReason: ObservationEndReason? { source.observation.reason }

    /// Makes an iterator over the elements.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), source: source)
    }

    /// An iterator that takes the elements of an observation sequence, one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: AsyncStream<Element>.Iterator
        private let source: SequenceSource<Element>

        init(base: AsyncStream<Element>.Iterator, source: SequenceSource<Element>) {
            self.base = base
            self.source = source
        }

        /// Returns the next element, and waits for it if necessary.
        ///
        /// - Parameter actor: The isolation of the caller.
        /// - Returns: The element, or nil at the end of the sequence.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            if !Task.isCancelled, let element = await base.next(isolation: actor) { return element }
            // The task may have been cancelled on any thread. End the observation here, where the observed object may be released.
            source.end()
            return nil
        }

        /// Returns the next element, and waits for it if necessary.
        public mutating func next() async -> Element? {
            await next(isolation: nil)
        }
    }
}

/// The rule for elements that arrive faster than they are taken.
public enum ObservationBuffering: Hashable, Sendable {
    /// All elements are kept until they are taken.
    case unbounded
    /// The buffer keeps this number of the newest elements, and drops older ones.
    case newest(Int)
    /// The buffer keeps this number of the oldest elements, and drops newer ones.
    case oldest(Int)

    func policy<Element>(_ type: Element.Type) -> AsyncStream<Element>.Continuation.BufferingPolicy {
        switch self {
        case .unbounded: .unbounded
        case .newest(let count): .bufferingNewest(count)
        case .oldest(let count): .bufferingOldest(count)
        }
    }
}

/// The observation of one sequence, which ends when the sequence and its iterators are released.
@usableFromInline
package final class SequenceSource<Element: Sendable>: Sendable {
    @usableFromInline
    package let elements: SequenceElements<Element>
    let observation = ObservationHandle()

    /// Makes a sequence of the elements that one observation produces.
    ///
    /// The closure `observe` must register an observation whose handler passes each element to `elements`, and does not retain the source.
    @usableFromInline
    package static func sequence(
        buffering: ObservationBuffering, observe: (SequenceSource) -> ObservationResult
    ) -> SharedObservationSequence<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering.policy(Element.self))
        let source = SequenceSource(SequenceElements(continuation))
        let result = observe(source)
        if case .refused(let refusal) = result { source.observation.wasRefused(refusal) }
        if !result.isObserving { source.elements.finish() }
        return SharedObservationSequence(stream, source)
    }

    private init(_ elements: SequenceElements<Element>) {
        self.elements = elements
    }

    deinit {
        observation.end()
    }

    /// Makes the arguments for registering the observation; the end of the observation finishes the sequence.
    @usableFromInline
    package func registration(
        _ options: KeyValueObservingOptions, _ home: SequenceHome, _ fileID: StaticString, _ line: UInt, _ filter: AnyObject? = nil
    ) -> Registration {
        Registration(observation, options, home, fileID, line, filter) { [elements] in elements.finish() }
    }

    func end() {
        observation.end()
        elements.finish()
    }
}

/// The buffer of the elements that a sequence has not delivered yet.
@usableFromInline
package final class SequenceElements<Element: Sendable>: Sendable {
    private let continuation: AsyncStream<Element>.Continuation
    private let dropped = Atomic<Int>(0)

    init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
    }

    @usableFromInline
    package func yield(_ element: Element) {
        if case .dropped = continuation.yield(element) { dropped.wrappingAdd(1, ordering: .relaxed) }
    }

    func finish() { continuation.finish() }

    var droppedCount: Int { dropped.load(ordering: .relaxed) }
}

/// A handle that ends one observation.
///
/// If `end()` is called before the observation begins, the observation ends as soon as it begins.
@usableFromInline
final class ObservationHandle: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards every variable.

    let tag = ObservationTag(sequence: count.wrappingAdd(1, ordering: .relaxed).newValue)
    private static let count = Atomic<UInt>(0)

    private let lock = Lock()
    private var info: ObservationInfo?
    private var isOver = false
    private var endReason: ObservationEndReason?

    @usableFromInline
    init() {}

    func begin(_ info: ObservationInfo) {
        let isOver = lock.withLock {
            if !self.isOver { self.info = info }
            return self.isOver
        }
        if isOver { info.end(for: .removed, by: .region) }
    }

    /// Ends the observation; returns `false` if the observation had already ended.
    @usableFromInline
    @discardableResult
    func end() -> Bool {
        let (isFirst, info) = lock.withLock {
            defer { isOver = true }
            return (!isOver, self.info.take())
        }
        guard let info else { return isFirst }
        return info.end(for: .removed, by: .region)
    }

    @usableFromInline
    var hasEnded: Bool {
        let (isOver, info) = lock.withLock { (self.isOver, self.info) }
        return isOver || (info?.isOver ?? false)
    }

    func didEnd(for reason: ObservationEndReason) {
        lock.withLock { endReason = reason }
    }

    func wasRefused(_ refusal: ObservationResult.Refusal) {
        switch refusal {
        case .noObject, .objectDeinitialized: didEnd(for: .objectDeinitialized)
        case .observerDeinitialized: didEnd(for: .observerDeinitialized)
        case .controllerInvalidated: didEnd(for: .controllerInvalidated)
        case .priorCallElsewhere, .handlerOfAnotherIsolation, .intervalNotPositive, .noIsolation: didEnd(for: .removed)
        }
    }

    var reason: ObservationEndReason? { lock.withLock { endReason } }
}
