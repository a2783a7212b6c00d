import Testing

@testable import SafeKVO
@testable import SafeKVODiagnostics

/// Cycles in a table of who retains whom.
@Suite struct RetainGraphTests {
    private final class Thing {}
    private let things = (0..<8).map { _ in Thing() }

    private func graph(_ edges: [(Int, Int)]) -> RetainGraph {
        var graph = RetainGraph()
        for (from, to) in edges { graph.connect(ObjectIdentifier(things[from]), ObjectIdentifier(things[to])) }
        return graph
    }

    @Test("A chain, a tree and a diamond have no cycle")
    func noCycle() {
        for edges in [[], [(0, 1)], [(0, 1), (1, 2)], [(0, 1), (0, 2), (1, 3), (2, 3)], [(3, 2), (2, 1), (3, 1)]] {
            let found = graph(edges).cycles()
            #expect(found.cycles.isEmpty)
            #expect(found.edges.isEmpty)
        }
    }

    @Test("Two objects that hold each other are a cycle, what leads to it and away from it is none")
    func twoObjects() {
        let found = graph([(5, 0), (0, 1), (1, 0), (1, 6)]).cycles()
        #expect(found.cycles == [[1, 2]])
        #expect(found.edges == [1, 2])
    }

    @Test("Of several ways round, the shortest through the first object is told, and all are marked")
    func theShortestIsTold() {
        let found = graph([(0, 1), (1, 2), (2, 0), (0, 3), (3, 0), (0, 1)]).cycles()
        #expect(found.cycles == [[3, 4]])
        #expect(found.edges == [0, 1, 2, 3, 4, 5])
    }

    @Test("Each group has its cycle, in the order in which objects came")
    func severalGroups() {
        let found = graph([(4, 5), (5, 4), (5, 0), (0, 1), (1, 2), (2, 0)]).cycles()
        #expect(found.cycles == [[0, 1], [3, 4, 5]])
        #expect(found.edges == [0, 1, 3, 4, 5])
    }

    @Test("An object that holds itself is a cycle of one")
    func oneObject() {
        let found = graph([(0, 0)]).cycles()
        #expect(found.cycles == [[0]])
    }

    @Test("A cycle of many thousands is found without a deep stack")
    func aLongCycle() {
        let many = (0..<20_000).map { _ in Thing() }
        var graph = RetainGraph()
        for index in many.indices { graph.connect(ObjectIdentifier(many[index]), ObjectIdentifier(many[(index + 1) % many.count])) }
        let found = graph.cycles()
        #expect(found.cycles.map(\.count) == [20_000])
        #expect(found.edges.count == 20_000)
    }
}
