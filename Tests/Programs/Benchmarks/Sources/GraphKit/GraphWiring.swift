public import BenchmarkKit

/// A contender's way to build a graph, and to write its sources.
///
/// Each contender writes its nodes as its users do. Each getter begins with ``noteRun()``, and each handler calls
/// ``GraphView/show(_:in:)`` and holds its view weakly. The loops are inlinable, so that they are compiled for the contender's types in
/// the contender's module.
public protocol GraphWiring: AnyObject, SendableMetatype {
    /// A number that is written.
    associatedtype Source
    /// A number that is read: that of a source, or one that is computed from others.
    associatedtype Node
    /// Many numbers that are computed as one value.
    associatedtype List

    /// The name.
    static var contender: Contender { get }
    /// Why it cannot build a shape; nil if it can.
    static func refusal(of shape: GraphShape) -> String?
    /// The observers.
    var views: [GraphView] { get }
    /// Begins a graph.
    init(_ views: [GraphView])

    /// Makes a source.
    func source(_ value: Int) -> Source
    /// Reads a source.
    func node(_ source: Source) -> Node
    /// Adds a number.
    func plus(_ input: Node, _ addend: Int) -> Node
    /// Adds a number, after ``workHard()``.
    func plusHard(_ input: Node, _ addend: Int) -> Node
    /// Multiplies with a number.
    func times(_ input: Node, _ factor: Int) -> Node
    /// Subtracts one from the other.
    func difference(_ left: Node, _ right: Node) -> Node
    /// Adds several, each of which is read once.
    func sum(_ inputs: [Node]) -> Node
    /// Adds one to itself, by so many reads.
    func repeated(_ input: Node, reads: Int) -> Node
    /// Adds up twenty times, by one read of the head each: that for an odd head, or that for an even head.
    func choice(_ head: Node, odd: Node, even: Node) -> Node
    /// Gathers several.
    func list(_ inputs: [Node]) -> List
    /// Takes one of several.
    func element(_ list: List, _ index: Int) -> Node

    /// Shows a node in a slot of the first view.
    func show(_ node: Node, in slot: GraphSlot)
    /// Shows a source in a slot of some view.
    func show(_ source: Source, in slot: GraphSlot, of view: Int)
    /// Shows the sum of sources in a slot of the first view.
    func showSum(of sources: [Source], in slot: GraphSlot)

    /// Writes a source, in a function that is not inlined. All handlers have been called when it returns.
    func write(_ value: Int, to source: Source)
    /// Writes sources in one batch, if there is such a thing.
    func write(_ values: [Int], to sources: [Source])

    /// Writes a source in each pass.
    func write(_ passes: Range<Int>, to source: Source)
    /// Writes the first ten sources, one in each pass.
    func write(_ passes: Range<Int>, toFirstTen sources: [Source])
    /// Writes all sources in a batch in each pass, two sets of values in turn.
    func write(_ passes: Range<Int>, _ even: [Int], _ odd: [Int], to sources: [Source])
    /// Makes so many sources.
    func makeSources(_ count: Int) -> [Source]
    /// Shows each source so many times.
    func showEach(_ sources: [Source], times: Int, in slots: [GraphSlot])
    /// Shows the sum of each group.
    func showSums(_ groups: [[Source]], in slots: [GraphSlot])
}

extension GraphWiring {
    /// It can build everything.
    public static func refusal(of shape: GraphShape) -> String? { nil }

    /// Writes one after the other, where there are no batches.
    @inlinable
    public func write(_ values: [Int], to sources: [Source]) {
        for (value, source) in zip(values, sources) { write(value, to: source) }
    }

    /// Writes a source in each pass.
    @inlinable
    public func write(_ passes: Range<Int>, to source: Source) {
        for pass in passes { write(pass &+ 1, to: source) }
    }

    /// Writes the first ten sources, one in each pass.
    @inlinable
    public func write(_ passes: Range<Int>, toFirstTen sources: [Source]) {
        for pass in passes { write(pass &+ 1, to: sources[pass % 10]) }
    }

    /// Writes all sources in a batch in each pass, two sets of values in turn.
    @inlinable
    public func write(_ passes: Range<Int>, _ even: [Int], _ odd: [Int], to sources: [Source]) {
        for pass in passes { write(pass & 1 == 0 ? even : odd, to: sources) }
    }

    /// Makes so many sources.
    @inlinable
    public func makeSources(_ count: Int) -> [Source] {
        (0..<count).map { source($0) }
    }

    /// Shows each source so many times.
    @inlinable
    public func showEach(_ sources: [Source], times: Int, in slots: [GraphSlot]) {
        var index = 0
        for source in sources {
            for view in 0..<times {
                show(source, in: slots[index], of: view)
                index += 1
            }
        }
    }

    /// Shows the sum of each group.
    @inlinable
    public func showSums(_ groups: [[Source]], in slots: [GraphSlot]) {
        for (group, slot) in zip(groups, slots) { showSum(of: group, in: slot) }
    }
}
