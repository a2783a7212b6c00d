import SafeKVO
import SafeKVOTesting
import Testing

/// Rules 47 and 48: who replaced another is told where the other would have been.
extension BatchTests {
    private func register(_ name: String, _ keyPath: KeyPath<Model, Int>, _ policy: RepeatedObservation = .ignore, tag: ObservationTag) {
        observations.observe(model, keyPath, options: .new, tag: tag, ifAlreadyObserved: policy) { [log] _, _, _ in log.append(name) }
    }

    @Test("Rules 47, 48: an observation that was replaced has its place among those of other keys")
    func aReplacedObservationHasItsPlace() throws {
        register("A", \.a, tag: "A")
        register("C", \.a, tag: "C")
        register("B", \.b, tag: "B")
        withBatchedChanges { (model.a, model.b) = (1, 1) }
        try log.expect(["A", "C", "B"])
        log.removeAll()
        register("A2", \.a, .replace, tag: "A")
        withBatchedChanges { (model.a, model.b) = (2, 2) }
        try log.expect(["A2", "C", "B"])
    }

    @Test("Rules 47, 48: likewise the last, the one of the other key, and one that is replaced twice")
    func everyReplacedObservationHasItsPlace() throws {
        register("A", \.a, tag: "A")
        register("B", \.b, tag: "B")
        register("C", \.a, tag: "C")
        register("D", \.b, tag: "D")
        register("C2", \.a, .replace, tag: "C")
        register("B2", \.b, .replace, tag: "B")
        register("A2", \.a, .replace, tag: "A")
        register("A3", \.a, .replace, tag: "A")
        withBatchedChanges { (model.b, model.a) = (1, 1) }
        try log.expect(["A3", "B2", "C2", "D"])
    }

    @Test("Rules 47, 48: one that is replaced in mid-batch is told in its place")
    func oneThatIsReplacedInMidBatch() throws {
        register("A", \.a, tag: "A")
        register("B", \.b, tag: "B")
        withBatchedChanges {
            (model.a, model.b) = (1, 1)
            register("A2", \.a, .replace, tag: "A")
            (model.a, model.b) = (2, 2)
        }
        try log.expect(["A2", "B"])
    }
}
