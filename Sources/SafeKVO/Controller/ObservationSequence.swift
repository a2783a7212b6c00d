internal import Synchronization

/// An asynchronous sequence of the values, changes or events of one observation.
///
/// The observation begins when the sequence is made, not when its first element is requested. It ends as soon as one of these happens:
///
/// - The observed object, the observer or the controller is deallocated.
/// - The task that takes the elements is cancelled.
/// - The sequence and all its iterators are released.
///
/// The sequence then delivers the elements in its buffer and ends. In a cancelled task it ends at once. If the observer does not own its
/// controller, the sequence ends with the first change after the observer was deallocated.
///
/// A controller that retains the observed object releases it when the observation ends, on the thread that ends the observation. If the
/// object is not `Sendable`, either keep the sequence in the object's isolation, or retain the object there until the observation has
/// ended.
///
/// Several iterators share the elements: each element goes to one of them. When the task of one iterator is cancelled, the observation
/// ends. The other iterators get the elements in the buffer and then end.
public struct ObservationSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// The sequence never throws an error.
    public typealias Failure = Never

    private let stream: AsyncStream<Element>
    private let elements: SequenceElements<Element>

    init(_ stream: AsyncStream<Element>, _ elements: SequenceElements<Element>) {
        self.stream = stream
        self.elements = elements
    }

    /// The number of elements that the buffer has dropped so far.
    public var droppedCount: Int { elements.droppedCount }

    var endReason: ObservationEndReason? { elements.endReason }

    /// Makes an iterator over the elements.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), elements: elements)
    }

    /// An iterator that takes the elements of an observation sequence, one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: AsyncStream<Element>.Iterator
        private let elements: SequenceElements<Element>

        init(base: AsyncStream<Element>.Iterator, elements: SequenceElements<Element>) {
            self.base = base
            self.elements = elements
        }

        /// Returns the next element, and waits for it if necessary.
        ///
        /// - Parameter actor: The isolation of the caller.
        /// - Returns: The element, or nil at the end of the sequence.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            if Task.isCancelled {
                elements.end()
                return nil
            }
            return await base.next(isolation: actor)
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

/// The producer of the elements of an ``ObservationSequence``.
///
/// A handler passes each element to ``yield(_:)``.
final class SequenceElements<Element: Sendable>: Sendable {
    private let continuation: AsyncStream<Element>.Continuation
    private let observation = ObservationHandle()
    private let dropped = Atomic<Int>(0)

    /// Makes a sequence of the elements that one observation produces.
    ///
    /// The closure `observe` must register an observation whose handler calls ``yield(_:)``.
    static func sequence(
        buffering: ObservationBuffering, observe: (SequenceElements) -> ObservationResult
    ) -> ObservationSequence<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering.policy(Element.self))
        let elements = SequenceElements(continuation)
        let observation = elements.observation
        continuation.onTermination = { _ in observation.end() }
        let result = observe(elements)
        if case .refused(let refusal) = result { observation.wasRefused(refusal) }
        if !result.isObserving { continuation.finish() }
        return ObservationSequence(stream, elements)
    }

    private init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
    }

    func yield(_ element: Element) {
        if case .dropped = continuation.yield(element) { dropped.wrappingAdd(1, ordering: .relaxed) }
    }

    /// Makes the arguments for registering the observation; the end of the observation finishes the sequence.
    func registration(
        _ options: KeyValueObservingOptions, _ fileID: StaticString, _ line: UInt, _ filter: AnyObject? = nil
    ) -> Registration {
        Registration(observation, options, fileID, line, filter) { [continuation] in continuation.finish() }
    }

    func end() {
        observation.end()
        continuation.finish()
    }

    var droppedCount: Int { dropped.load(ordering: .relaxed) }

    var endReason: ObservationEndReason? { observation.reason }
}

/// A handle that ends one observation.
///
/// If `end()` is called before the observation begins, the observation ends as soon as it begins.
final class ObservationHandle: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards every variable.

    let tag = ObservationTag(sequence: count.wrappingAdd(1, ordering: .relaxed).newValue)
    private static let count = Atomic<UInt>(0)

    private let lock = Lock()
    private var info: ObservationInfo?
    private var isOver = false
    private var endReason: ObservationEndReason?

    func begin(_ info: ObservationInfo) {
        let isOver = lock.withLock {
            if !self.isOver { self.info = info }
            return self.isOver
        }
        if isOver { info.end(for: .removed) }
    }

    /// Ends the observation; returns `false` if the observation had already ended.
    @discardableResult
    func end() -> Bool {
        let (isFirst, info) = lock.withLock {
            defer { isOver = true }
            return (!isOver, self.info.take())
        }
        guard let info else { return isFirst }
        return info.end(for: .removed)
    }

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
        case .priorCallElsewhere, .handlerOfAnotherIsolation, .intervalNotPositive: didEnd(for: .removed)
        }
    }

    var reason: ObservationEndReason? { lock.withLock { endReason } }
}
