internal import Synchronization

/// What an observation tells, as an asynchronous sequence.
///
/// The observation begins when the sequence is made, not when somebody asks for its elements. It ends with the observed object, the
/// observer or the controller, when the task that takes the elements is cancelled, and when nobody holds the sequence or an iterator of it
/// any more; then the sequence ends, after what was kept in it, and in a task that is cancelled at once.
///
/// The end of an observer that does not hold its controller is noticed with the next change.
///
/// Several iterators share the elements: each element goes to one of them. They share the end too: when one of their tasks is cancelled, the others
/// get what was kept, and no more.
public struct ObservationSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// Nothing fails.
    public typealias Failure = Never

    private let stream: AsyncStream<Element>
    private let elements: SequenceElements<Element>

    init(_ stream: AsyncStream<Element>, _ elements: SequenceElements<Element>) {
        self.stream = stream
        self.elements = elements
    }

    /// How many elements the buffering has dropped so far.
    public var droppedCount: Int { elements.droppedCount }

    /// The reason for which the observation has ended; nil if it has not, or not by itself.
    var endReason: ObservationEndReason? { elements.endReason }

    /// Begins to take elements.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), elements: elements)
    }

    /// Takes the elements, one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var base: AsyncStream<Element>.Iterator
        private let elements: SequenceElements<Element>

        init(base: AsyncStream<Element>.Iterator, elements: SequenceElements<Element>) {
            self.base = base
            self.elements = elements
        }

        /// The next element, waited for if need be.
        ///
        /// - Parameter actor: Where the caller runs.
        /// - Returns: nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
            if Task.isCancelled {
                elements.end()
                return nil
            }
            return await base.next(isolation: actor)
        }

        /// The next element, waited for if need be.
        public mutating func next() async -> Element? {
            await next(isolation: nil)
        }
    }
}

/// What becomes of elements of a sequence that arrive faster than they are taken.
public enum ObservationBuffering: Hashable, Sendable {
    /// All are kept: none is lost.
    case unbounded
    /// The given number of newest ones are kept, and older ones are dropped.
    case newest(Int)
    /// The given number of oldest ones are kept, and newer ones are dropped.
    case oldest(Int)

    func policy<Element>(_ type: Element.Type) -> AsyncStream<Element>.Continuation.BufferingPolicy {
        switch self {
        case .unbounded: .unbounded
        case .newest(let count): .bufferingNewest(count)
        case .oldest(let count): .bufferingOldest(count)
        }
    }
}

/// Where an observation puts what it tells, for the sequence to take.
final class SequenceElements<Element: Sendable>: Sendable {
    private let continuation: AsyncStream<Element>.Continuation
    private let observation = ObservationHandle()
    private let dropped = Atomic<Int>(0)

    /// Makes a sequence, and observes for it.
    ///
    /// - Parameters:
    ///   - buffering: What becomes of elements that nobody takes in time.
    ///   - observe: Registers a handler that calls ``yield(_:)`` and an end that calls ``finish()``, under the handle.
    /// - Returns: the sequence.
    static func sequence(
        buffering: ObservationBuffering, observe: (SequenceElements, ObservationHandle) -> ObservationResult
    ) -> ObservationSequence<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering.policy(Element.self))
        let elements = SequenceElements(continuation)
        let observation = elements.observation
        continuation.onTermination = { _ in observation.end() }
        let result = observe(elements, observation)
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

    /// The observation has ended.
    func finish() {
        continuation.finish()
    }

    /// Ends the observation.
    func end() {
        observation.end()
        continuation.finish()
    }

    var droppedCount: Int { dropped.load(ordering: .relaxed) }

    var endReason: ObservationEndReason? { observation.reason }
}

/// A hold on one observation, to end it.
final class ObservationHandle: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything belongs to `lock`.

    /// What keeps the observation apart from all others.
    let tag = ObservationTag(sequence: count.wrappingAdd(1, ordering: .relaxed).newValue)
    private static let count = Atomic<UInt>(0)

    private let lock = Lock()
    private var info: ObservationInfo?
    private var isOver = false
    private var endReason: ObservationEndReason?

    /// The observation was made.
    func begin(_ info: ObservationInfo) {
        let isOver = lock.withLock {
            if !self.isOver { self.info = info }
            return self.isOver
        }
        if isOver { info.end(for: .removed) }
    }

    /// Ends the observation, or sees to it that it ends as soon as it is made.
    ///
    /// - Returns: `true` if this call ended it.
    @discardableResult
    func end() -> Bool {
        let (isFirst, info) = lock.withLock {
            defer { isOver = true }
            return (!isOver, self.info.take())
        }
        guard let info else { return isFirst }
        return info.end(for: .removed)
    }

    /// `true` if the observation has ended, or will end as soon as it is made.
    var hasEnded: Bool {
        let (isOver, info) = lock.withLock { (self.isOver, self.info) }
        return isOver || (info?.isOver ?? false)
    }

    /// The observation has ended.
    func didEnd(for reason: ObservationEndReason) {
        lock.withLock { endReason = reason }
    }

    /// No observation was made.
    func wasRefused(_ refusal: ObservationResult.Refusal) {
        switch refusal {
        case .noObject, .objectDeinitialized: didEnd(for: .objectDeinitialized)
        case .observerDeinitialized: didEnd(for: .observerDeinitialized)
        case .controllerInvalidated: didEnd(for: .controllerInvalidated)
        case .priorCallElsewhere, .handlerOfAnotherIsolation, .intervalNotPositive: didEnd(for: .removed)
        }
    }

    /// The reason for which the observation has ended; nil if it has not.
    var reason: ObservationEndReason? { lock.withLock { endReason } }
}
