internal import Synchronization

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
        if !observe(elements, observation).isObserving { continuation.finish() }
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
}
