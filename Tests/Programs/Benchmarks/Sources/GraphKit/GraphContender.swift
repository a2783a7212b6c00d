import BenchmarkKit

/// A contender, whatever its nodes are.
public struct GraphContender {
    /// The name.
    let contender: Contender
    /// Why it cannot build a shape; nil if it can.
    let refusal: (GraphShape) -> String?
    /// Counts one write or creation; nil if a handler was told something wrong.
    let count: (GraphShape) -> GraphCounts?
    /// Measures one write or creation.
    let benchmark: (GraphShape) -> Benchmark

    /// Names a contender by its wiring.
    public init<Wiring: GraphWiring>(_: Wiring.Type) {
        contender = Wiring.contender
        refusal = Wiring.refusal
        count = { $0.isCreation ? Self.countCreation($0, Wiring.self) : Self.countWrites($0, Wiring.self) }
        benchmark = { shape in
            let name = "\(Wiring.contender.name): \(shape.rawValue)"
            return shape.isCreation ? Self.creation(name, shape, Wiring.self) : Self.writes(name, shape, Wiring.self)
        }
    }

    /// Writes some twenty times, and looks after each what the handlers were told.
    private static func countWrites<Wiring: GraphWiring>(_ shape: GraphShape, _: Wiring.Type) -> GraphCounts? {
        let graph = shape.build(Wiring.self)
        var present = graph.initial
        guard graph.shown == graph.values(present) else { return nil }
        var isRight = true
        func writeTwentyTimes() {
            for pass in 0..<20 {
                graph.write(pass: pass, &present)
                isRight = isRight && graph.shown == graph.values(present)
            }
        }
        writeTwentyTimes()
        let counts = GraphCounts.of(20, writeTwentyTimes)
        return isRight ? counts : nil
    }

    private static func countCreation<Wiring: GraphWiring>(_ shape: GraphShape, _: Wiring.Type) -> GraphCounts? {
        let creation = GraphCreation<Wiring>(shape, count: shape.createdWidth == 1000 ? 2 : 2000)
        let counts = GraphCounts.of(creation.count) { _ = creation.create() }
        return creation.isRight ? counts : nil
    }

    private static func writes<Wiring: GraphWiring>(_ name: String, _ shape: GraphShape, _: Wiring.Type) -> Benchmark {
        .loop(name) {
            let graph = shape.build(Wiring.self)
            // No write is of the value that is there: some contenders do nothing then.
            var done = 0
            return { passes in
                graph.write(done..<done + passes)
                done += passes
                return graph.wiring.views[0].slots[0].last
            }
        }
    }

    /// As many as in the original: a hundred thousand sources or handlers, of which a thousandth if each shows the sum of a thousand.
    private static func creation<Wiring: GraphWiring>(_ name: String, _ shape: GraphShape, _: Wiring.Type) -> Benchmark {
        let count = shape.createdWidth == 1 ? 100_000 : 100_000 / shape.createdWidth
        return .once(name, parts: count) {
            let creation = GraphCreation<Wiring>(shape, count: count)
            var made: [Wiring.Source] = []
            return {
                made = creation.create()
                return made.count
            }
        }
    }
}
