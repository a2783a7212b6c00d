import SafeKVO
import TestSupport
import Testing

/// Rules 11a, 13 and 18: a path passes on the value of a property's change only while that change is the property's newest.
@Suite struct OvertakenPassingTests {
    final class Shelf: KeyValueObject {
        let name: String
        @Observed var items: [Int] = []
        @Observed var members: Set<Int> = []
        @Observed var next: Shelf?
        var same: [Int] { items }
        var copy: [Int] { items + [] }
        var sameMembers: Set<Int> { members }
        init(_ name: String = "") { self.name = name }
    }

    final class Observer {
        private var isArmed = true
        var values: [String] = []
        var changes: [String] = []
        lazy var observations = ObservationController(observer: self)

        func makeOnce(_ change: () -> Void) {
            if !isArmed { return }
            isArmed = false
            change()
        }
    }

    /// Makes a change, in whose delivery an earlier observer of the property makes another one, and returns what observers of a path get.
    private func run<Value>(
        _ keyPath: KeyPath<Shelf, Value>, _ outer: (Shelf) -> Void, nested inner: @escaping (Shelf) -> Void
    ) -> (observer: Observer, present: Value) {
        let (observer, shelf) = (Observer(), Shelf())
        observer.observations.observe(shelf, \.items, options: []) { observer, shelf, _ in observer.makeOnce { inner(shelf) } }
        observer.observations.observe(shelf, \.members, options: []) { observer, shelf, _ in observer.makeOnce { inner(shelf) } }
        observer.observations.observe(shelf, keyPath) { $0.values.append("\($1)") }
        observer.observations.observe(shelf, keyPath, options: [.old, .new], tag: "changes") { observer, _, change in
            let (old, new) = (change.oldValue.map { "\($0)" }, change.newValue.map { "\($0)" })
            observer.changes.append("\(change.kind) \(old ?? "-") to \(new ?? "-")")
        }
        outer(shelf)
        return (observer, shelf[keyPath: keyPath])
    }

    @Test("Rules 11a, 18: the last value of a path is that of the nested change, however both changes are made")
    func aPathDoesNotGoBack() {
        let outer: [(Shelf) -> Void] = [{ $0.items = [2, 2] }, { $0.mutableArrayValue(for: \.items).append(2) }]
        let inner: [(Shelf) -> Void] = [
            { $0.items = [] }, { $0.items.removeAll() }, { $0.mutableArrayValue(for: \.items).removeAll() },
            { $0.mutableArrayValue(for: \.items).append(3) }, { $0.mutableArrayValue(for: \.items).change { $0 = [] } },
            { shelf in shelf.withChange(of: \.items) { shelf.items = [] } },
        ]
        for keyPath in [\Shelf.same, \.copy] {
            for outer in outer {
                for inner in inner {
                    let (observer, present) = run(keyPath, outer, nested: inner)
                    #expect(observer.values.last == "\(present)")
                    #expect(observer.changes.last?.hasSuffix("to \(present)") ?? false)
                }
            }
        }
    }

    @Test("Rules 11a, 18: the same for a set")
    func aPathToASetDoesNotGoBack() {
        for inner in [{ $0.members = [] }, { $0.mutableSetValue(for: \.members).removeAll() }] as [(Shelf) -> Void] {
            let (observer, present) = run(\.sameMembers, { $0.members = [2] }, nested: inner)
            #expect(observer.values.last == "\(present)")
            #expect(observer.changes.last == "setting [] to []")
        }
    }

    @Test("Rules 2, 13: no observer gets a value that the path never had")
    func aValueThatThePathNeverHad() {
        let (observer, first, second) = (Observer(), Shelf("first"), Shelf("second"))
        observer.observations.observe(first, \.next?.items, options: []) { observer, first, _ in observer.makeOnce { first.next = first } }
        observer.observations.observe(first, \.next?.next) { $0.values.append($1?.name ?? "nil") }
        observer.observations.observe(first, \.next?.next, options: [.old, .new], tag: "changes") { observer, _, change in
            observer.changes.append("\(change.oldValue??.name ?? "nil") to \(change.newValue??.name ?? "nil")")
        }
        first.next = second
        #expect(observer.values.allSatisfy { $0 != "second" })
        #expect(observer.values.last == "first")
        #expect(observer.changes == ["nil to first", "first to first"])
        first.next = nil
    }
}
