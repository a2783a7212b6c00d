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
