import BenchmarkKit
public import GraphKit

/// Graphs of plain getters, and a closure in the `didSet` of each source that a handler depends on.
public enum HandGraphs {
    /// The contender.
    public static var contender: GraphContender { GraphContender(HandWiring.self) }
}

/// A getter, and the sources that whoever writes the program knows it to read.
struct PlainNode {
    let cell: PlainCell
    let sources: [PlainNumber]
}

final class HandWiring: GraphWiring {
    static let contender = Contender(name: "by hand")

    let views: [GraphView]
    /// The sources whose closures refer to what is computed from them.
    private var observed: [PlainNumber] = []

    init(_ views: [GraphView]) { self.views = views }

    deinit {
        for source in observed { source.didChange = [] }
    }

    static func refusal(of shape: GraphShape) -> String? {
        switch shape {
        case .mux, .cellx5, .cellx10, .cellx15: "nobody writes this by hand without a cache, which is what the signals are"
        default: nil
        }
    }

    func source(_ value: Int) -> PlainNumber { PlainNumber(value) }
    func node(_ source: PlainNumber) -> PlainNode { PlainNode(cell: source, sources: [source]) }
    func plus(_ input: PlainNode, _ addend: Int) -> PlainNode { PlainNode(cell: PlainPlus(input.cell, addend), sources: input.sources) }
    func plusHard(_ input: PlainNode, _ addend: Int) -> PlainNode {
        PlainNode(cell: PlainPlusHard(input.cell, addend), sources: input.sources)
    }
    func times(_ input: PlainNode, _ factor: Int) -> PlainNode { PlainNode(cell: PlainTimes(input.cell, factor), sources: input.sources) }
    func difference(_ left: PlainNode, _ right: PlainNode) -> PlainNode {
        PlainNode(cell: PlainDifference(left.cell, right.cell), sources: left.sources)
    }
    func sum(_ inputs: [PlainNode]) -> PlainNode { PlainNode(cell: PlainSum(inputs.map(\.cell)), sources: inputs[0].sources) }
    func repeated(_ input: PlainNode, reads: Int) -> PlainNode {
        PlainNode(cell: PlainRepeated(input.cell, reads: reads), sources: input.sources)
    }
    func choice(_ head: PlainNode, odd: PlainNode, even: PlainNode) -> PlainNode {
        PlainNode(cell: PlainChoice(head.cell, odd: odd.cell, even: even.cell), sources: head.sources)
    }
    // Refused.
    func list(_ inputs: [PlainNode]) -> PlainNode { inputs[0] }
    func element(_ list: PlainNode, _ index: Int) -> PlainNode { list }

    func show(_ node: PlainNode, in slot: GraphSlot) { show(node.cell, node.sources, in: slot) }

    func show(_ source: PlainNumber, in slot: GraphSlot, of view: Int) {
        let handler = { [weak view = views[view]] (value: Int) -> Void in view?.show(value, in: slot) }
        source.didChange.append(handler)
        handler(source.number)
    }

    func showSum(of sources: [PlainNumber], in slot: GraphSlot) { show(PlainSum(sources), sources, in: slot) }

    private func show(_ cell: PlainCell, _ sources: [PlainNumber], in slot: GraphSlot) {
        let handler = { [weak view = views[0]] (_: Int) -> Void in view?.show(cell.value, in: slot) }
        for source in sources { source.didChange.append(handler) }
        observed += sources
        handler(0)
    }

    @inline(never)
    func write(_ value: Int, to source: PlainNumber) { source.number = value }
}
