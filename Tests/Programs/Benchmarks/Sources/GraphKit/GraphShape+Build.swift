extension GraphShape {
    /// Builds the graph of a shape that is written.
    func build<Wiring: GraphWiring>(_: Wiring.Type) -> Graph<Wiring> {
        let wiring = Wiring((0..<readers).map { _ in GraphView() })
        let head = wiring.source(0)
        let node = wiring.node(head)
        switch self {
        case .deep:
            wiring.show((0..<50).reduce(node) { last, _ in wiring.plus(last, 1) })
            return Graph(wiring, [head]) { [$0[0] + 50] }
        case .broad:
            for addend in 0..<50 { wiring.show(wiring.plus(wiring.plus(node, addend), 1)) }
            return Graph(wiring, [head]) { sources in (0..<50).map { sources[0] + $0 + 1 } }
        case .diamond:
            wiring.show(wiring.sum((0..<5).map { _ in wiring.plus(node, 1) }))
            return Graph(wiring, [head]) { [5 * ($0[0] + 1)] }
        case .triangle:
            var steps = [node]
            for _ in 0..<9 { steps.append(wiring.plus(steps[steps.count - 1], 1)) }
            wiring.show(wiring.sum(steps))
            return Graph(wiring, [head]) { [10 * $0[0] + 45] }
        case .mux:
            let heads = (0..<100).map { _ in wiring.source(0) }
            let list = wiring.list(heads.map { wiring.node($0) })
            for index in 0..<100 { wiring.show(wiring.plus(wiring.element(list, index), 1)) }
            return Graph(wiring, heads, .oneOfTen) { $0.map { $0 + 1 } }
        case .repeated:
            wiring.show(wiring.repeated(node, reads: 30))
            return Graph(wiring, [head]) { [30 * $0[0]] }
        case .unstable:
            wiring.show(wiring.choice(node, odd: wiring.times(node, 2), even: wiring.times(node, -1)))
            return Graph(wiring, [head]) { [$0[0] * ($0[0] & 1 == 1 ? 40 : -20)] }
        case .avoidable:
            let zero = wiring.times(wiring.plus(node, 0), 0)
            wiring.show(wiring.plus(wiring.plus(wiring.plusHard(zero, 1), 2), 3), isBusy: true)
            return Graph(wiring, [head]) { _ in [6] }
        case .cellx5, .cellx10, .cellx15:
            return cellx(wiring)
        case .update2to1: return summing(wiring, 2)
        case .update4to1: return summing(wiring, 4)
        case .update1000to1: return summing(wiring, 1000)
        default:
            for view in 0..<readers { wiring.show(head, in: wiring.views[view].makeSlot(), of: view) }
            return Graph(wiring, [head]) { Array(repeating: $0[0], count: readers) }
        }
    }

    private func cellx<Wiring: GraphWiring>(_ wiring: Wiring) -> Graph<Wiring> {
        let sources = Cellx.values.odd.map { wiring.source($0) }
        var layer = sources.map { wiring.node($0) }
        for _ in 0..<layers {
            layer = [
                wiring.plus(layer[1], 0), wiring.difference(layer[0], layer[2]), wiring.sum([layer[1], layer[3]]), wiring.plus(layer[2], 0),
            ]
            for cell in layer { wiring.show(cell) }
        }
        return Graph(wiring, sources, .all, initial: Cellx.values.odd) { Cellx.cells($0, layers: layers) }
    }

    private func summing<Wiring: GraphWiring>(_ wiring: Wiring, _ count: Int) -> Graph<Wiring> {
        let sources = wiring.makeSources(count)
        wiring.showSum(of: sources, in: wiring.views[0].makeSlot())
        return Graph(wiring, sources, initial: Array(0..<count)) { [$0.reduce(0, +)] }
    }
}

extension GraphWiring {
    fileprivate func show(_ node: Node, isBusy: Bool = false) {
        show(node, in: views[0].makeSlot(isBusy: isBusy))
    }
}
