/// The cellx graph, computed plainly: layers of four cells, each computed from cells of the layer before.
enum Cellx {
    /// The values of the sources, in turn.
    static let values = (even: [4, 3, 2, 1], odd: [1, 2, 3, 4])

    /// All cells, layer by layer.
    static func cells(_ sources: [Int], layers: Int) -> [Int] {
        var cells: [Int] = []
        var layer = sources
        for _ in 0..<layers {
            layer = [layer[1], layer[0] - layer[2], layer[1] + layer[3], layer[2]]
            cells += layer
        }
        return cells
    }

    /// A cell runs if a cell that it reads has changed; its handler is called if it has changed itself.
    static func expected(layers: Int) -> GraphCounts {
        let (even, odd) = (values.even + cells(values.even, layers: layers), values.odd + cells(values.odd, layers: layers))
        let inputs = [[1], [0, 2], [1, 3], [2]]
        func hasChanged(_ cell: Int) -> Bool { even[cell] != odd[cell] }
        let computed = 4..<even.count
        let runs = computed.filter { cell in inputs[cell % 4].contains { hasChanged(cell / 4 * 4 - 4 + $0) } }
        return GraphCounts(runs: Double(runs.count), calls: Double(computed.filter(hasChanged).count))
    }
}
