import BenchmarkKit
public import GraphKit
import SafeKVO

/// Graphs of computed properties over observed ones, as a program has them.
public enum SafeKVOGraphs {
    /// The contender.
    public static var contender: GraphContender { GraphContender(SafeKVOWiring.self) }
}

final class SafeKVOWiring: GraphWiring {
    static let contender = Contender.safeKVO

    let views: [GraphView]
    private let controllers: [ObservationController<GraphView>]

    init(_ views: [GraphView]) {
        self.views = views
        controllers = views.map { ObservationController(observer: $0) }
    }

    func source(_ value: Int) -> Number { Number(value) }
    func node(_ source: Number) -> Cell { source }
    func plus(_ input: Cell, _ addend: Int) -> Cell { Plus(input, addend) }
    func plusHard(_ input: Cell, _ addend: Int) -> Cell { PlusHard(input, addend) }
    func times(_ input: Cell, _ factor: Int) -> Cell { Times(input, factor) }
    func difference(_ left: Cell, _ right: Cell) -> Cell { Difference(left, right) }
    func sum(_ inputs: [Cell]) -> Cell { Sum(inputs) }
    func repeated(_ input: Cell, reads: Int) -> Cell { Repeated(input, reads: reads) }
    func choice(_ head: Cell, odd: Cell, even: Cell) -> Cell { Choice(head, odd: odd, even: even) }
    func list(_ inputs: [Cell]) -> CellList { CellList(inputs) }
    func element(_ list: CellList, _ index: Int) -> Cell { Element(list, index) }

    func show(_ node: Cell, in slot: GraphSlot) {
        controllers[0].observe(node, \.value) { view, value in view.show(value, in: slot) }
    }

    func show(_ source: Number, in slot: GraphSlot, of view: Int) {
        controllers[view].observe(source, \.number) { view, value in view.show(value, in: slot) }
    }

    func showSum(of sources: [Number], in slot: GraphSlot) { show(Sum(sources), in: slot) }

    @inline(never)
    func write(_ value: Int, to source: Number) { source.number = value }

    func write(_ values: [Int], to sources: [Number]) {
        withBatchedChanges {
            for (value, source) in zip(values, sources) { write(value, to: source) }
        }
    }
}
