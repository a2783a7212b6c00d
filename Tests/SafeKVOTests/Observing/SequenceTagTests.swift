import Testing

@testable import SafeKVO

/// Sequences are observations of their own, whatever tags a program uses.
@Suite struct SequenceTagTests {
    final class Model: KeyValueObject, @unchecked Sendable { @AtomicObserved var number = 0 }

    final class Observer: Sendable {}

    let model = Model()
    let observer = Observer()

    @Test("A tag that a program writes ends no sequence")
    func aTagOfTheProgramEndsNoSequence() throws {
        let observations = SharedObservationController(observer: observer)
        let values = observations.values(of: model, \.number)
        let tag = try #require(observations.observations.first?.tag)
        for written in [ObservationTag(tag.description), "\(tag)"] {
            #expect(written != tag && written.description == tag.description)
            #expect(observations.unobserve(model, \.number, tag: written) == 0)
        }
        #expect(observations.unobserve(model, \.number, tag: tag) == 1)
        withExtendedLifetime(values) {}
    }

    @Test("A tag that a program writes stands in no sequence's way")
    func aTagOfTheProgramBlocksNoSequence() async throws {
        let observations = SharedObservationController(observer: observer)
        let first = observations.values(of: model, \.number)
        let tag = try #require(observations.observations.first?.tag)
        let number = try #require(Int(tag.description.split(separator: " ")[1]))
        // Other tests make sequences, too.
        for next in number..<number + 200 { observations.observe(model, \.number, tag: "sequence \(next)", on: .anyThread { _, _ in }) }
        let second = observations.values(of: model, \.number)
        model.number = 1
        var values: [Int] = []
        observations.unobserveAll()
        for await value in second { values.append(value) }
        #expect(values == [0, 1])
        withExtendedLifetime(first) {}
    }

    @Test("Tags of a program are equal if their names are")
    func tagsAreEqualByName() {
        #expect(ObservationTag("a") == ObservationTag("\("a")"))
        #expect(ObservationTag("a") != "b")
        #expect(Set<ObservationTag>(["a", "b", ObservationTag("a")]).count == 2)
    }
}
