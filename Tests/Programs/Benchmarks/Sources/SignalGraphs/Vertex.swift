/// A signal, a memo or an effect, as the graph sees it.
typealias Vertex = Place<VertexFields>
/// One reads the other.
typealias Edge = Place<EdgeFields>

struct VertexFields {
    enum State: UInt8 {
        case clean
        /// Something that it reads may have changed.
        case doubtful
        /// Something that it reads has changed.
        case dirty
    }

    /// The object itself, once it is made.
    var computation: Unretained?
    var isEffect: Bool
    var state: State
    /// Those who read it.
    var firstReader: Edge?
    var lastReader: Edge?
    /// Its reads, in the order of the last run.
    var firstSource: Edge?
    /// The last read of the present run.
    var cursor: Edge?
    /// The number of its run.
    var run = 0
    /// The run that read it last.
    var readBy = 0
}

struct EdgeFields {
    var source: Vertex
    var reader: Vertex
    /// The object of the source, which is kept alive.
    var owner: AnyObject
    var nextSource: Edge?
    var previousReader: Edge?
    var nextReader: Edge?
}
