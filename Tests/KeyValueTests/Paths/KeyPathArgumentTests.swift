import SafeKVO
import Synchronization
import Testing

/// Key paths with arguments, of which a program may make any number.
@Suite struct KeyPathArgumentTests {
    /// An index that counts how often two are compared.
    struct Index: Hashable {
        static let comparisons = Atomic(0)

        let number: Int

        static func == (one: Index, other: Index) -> Bool {
            comparisons.wrappingAdd(1, ordering: .relaxed)
            return one.number == other.number
        }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    final class Model: KeyValueObject {
        @Observed var names: [Int: String] = [:]
        subscript(index: Index) -> String? {
            get { names[index.number] }
            set { names[index.number] = newValue }
        }
    }

    final class View { private(set) lazy var observations = ObservationController(observer: self) }

    @Test("A key path with another argument is compared with few of those that were observed before, however many they are")
    func fewKeyPathsAreCompared() {
        let model = Model()
        var told: [Int] = []
        let before = Index.comparisons.load(ordering: .relaxed)
        for number in 0..<1000 {
            let view = View()
            view.observations.observe(model, \.[Index(number: number)]) { _, _ in told.append(number) }
        }
        // Once to make the list, and a few more where hashes begin alike.
        #expect(Index.comparisons.load(ordering: .relaxed) - before < 20_000)
        #expect(told == Array(0..<1000))
    }

    @Test("The same argument leads to the same list, and an announcement by hand reaches it")
    func theSameArgumentIsTheSameKeyPath() {
        let (model, view) = (Model(), View())
        for number in 0..<300 { view.observations.observe(model, \.[Index(number: number)]) { _, _ in } }
        for number in 0..<300 {
            #expect(view.observations.observe(model, \.[Index(number: number)]) { _, _ in } == .alreadyObserved)
        }
        var heard = 0
        view.observations.observe(model, \.[Index(number: 7)], options: [], tag: "hand") { _, _, _ in heard += 1 }
        model.withChange(of: \.[Index(number: 7)]) {}
        #expect(heard == 1)
        for number in 0..<300 { #expect(view.observations.unobserve(model, \.[Index(number: number)]) == 1) }
    }
}
