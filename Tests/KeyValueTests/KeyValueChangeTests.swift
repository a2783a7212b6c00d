import SafeKVO
import SafeKVOTesting
import Testing

@MainActor @Suite struct KeyValueChangeTests {
    final class Subject: KeyValueObject {
        @Observed var value = 0
        @Observed var name: String?
        @Observed var items: [Int] = []
        subscript(index: Int) -> Int { items[index] }
    }
    final class Observer {
        var sum = 0
        func valueDidChange(_ change: KeyValueChange<Int>) { sum += change.newValue ?? 0 }
    }

    let observer = Observer()

    @Test func aChangeIsMadeWithoutValuesUnlessTheyAreGiven() {
        let change = KeyValueChange<Int>()
        #expect(change.kind == .setting)
        #expect(!change.isPrior)
        #expect(!change.isInitial)
        #expect(change.newValue == nil)
        #expect(change.oldValue == nil)
        #expect(change.indexes == nil)
    }

    @Test func aChangeIsWhatItWasMadeOf() {
        let indexes = RangeSet(0..<2)
        let change = KeyValueChange(
            kind: .replacement, newValue: [1, 2], oldValue: [3, 4], indexes: indexes, isPrior: true, isInitial: true)
        #expect(change.kind == .replacement)
        #expect(change.newValue == [1, 2])
        #expect(change.oldValue == [3, 4])
        #expect(change.indexes == indexes)
        #expect(change.isPrior)
        #expect(change.isInitial)
    }

    @Test func aTestOfAnObserversMethodMayMakeItsChange() {
        observer.valueDidChange(KeyValueChange(newValue: 3))
        observer.valueDidChange(KeyValueChange())
        #expect(observer.sum == 3)
    }

    @Test("Rule 3: absent and present nil are different")
    func absentAndPresentNilAreDifferent() {
        let absent = KeyValueChange<String?>()
        let present = KeyValueChange<String?>(newValue: .some(nil), oldValue: .some(nil))
        #expect(absent.newValue == nil)
        #expect(absent.oldValue == nil)
        #expect(present.newValue == .some(nil))
        #expect(present.newValue != nil)
        #expect(present.oldValue != nil)
        #expect(absent != present)
    }

    @Test("Changes are equal if they tell the same; each part counts")
    func changesAreEqualIfAllPartsAre() {
        func change(
            kind: KeyValueChangeKind = .removal, newValue: Int? = 1, oldValue: Int? = 2, indexes: RangeSet<Int>? = RangeSet(0..<1),
            isPrior: Bool = false, isInitial: Bool = false
        ) -> KeyValueChange<Int> {
            KeyValueChange(
                kind: kind, newValue: newValue, oldValue: oldValue, indexes: indexes, isPrior: isPrior, isInitial: isInitial)
        }
        #expect(change() == change())
        let others = [
            change(kind: .insertion), change(newValue: 3), change(newValue: nil), change(oldValue: 3), change(oldValue: nil),
            change(indexes: RangeSet(1..<2)), change(indexes: nil), change(isPrior: true), change(isInitial: true),
        ]
        for (index, other) in others.enumerated() { #expect(other != change(), "part \(index)") }
    }

    @Test func aChangeThatIsDeliveredEqualsOneThatIsMade() {
        let subject = Subject()
        let observations = ObservationController(observer: observer)
        var heard: [KeyValueChange<Int>] = []
        observations.observe(subject, \.value, options: [.initial, .prior, .old, .new]) { _, _, change in heard.append(change) }
        subject.value = 1
        #expect(
            heard == [
                KeyValueChange(newValue: 0, isInitial: true),
                KeyValueChange(oldValue: 0, isPrior: true),
                KeyValueChange(newValue: 1, oldValue: 0),
            ])
    }

    @Test("Rule 7: a change outlives its observation, its object and its and its controller")
    func aChangeOutlivesItsObservation() throws {
        var kept: KeyValueChange<Int>?
        do {
            let subject = Subject()
            subject.items = [1, 2]
            let observations = ObservationController(observer: observer)
            observations.observe(subject, \.[1], options: [.old, .new]) { _, _, change in kept = change }
            subject.items = [3, 4]
        }
        let change = try #require(kept)
        #expect(change == KeyValueChange(newValue: 4, oldValue: 2))
    }

    final class Named: KeyValueObject {
        @Observed var hour = 0
        @AtomicObserved var ticks = 0
        @Observed var next: Named?
        var isNight: Bool { hour < 6 }
    }

    @Test("Rule 7: a kept change says the name of the property, also after the end; of a path and of a computed property only the key path")
    func aChangeSaysTheNameOfTheProperty() throws {
        let (named, log) = (Named(), EventLog<String>())
        let observations = ObservationController(observer: observer)
        nonisolated(unsafe) var kept: KeyValueChange<Int>?
        observations.observe(named, \.hour, options: [.old, .new]) { _, _, change in
            unsafe kept = change
            log.append("\(change) \(change.propertyName ?? "none")")
        }
        observations.observeEach(named, [\.ticks, \.isNight, \.next?.hour], options: .new) { _, _, change in
            log.append("\(change) \(change.propertyName ?? "none")")
        }
        named.hour = 7
        named.ticks = 1
        named.next = Named()
        try log.expect([
            "KeyValueChange(hour, setting, old 0, new 7) hour", "AnyKeyValueChange(<computed (Bool)>, setting, new false) none",
            "AnyKeyValueChange(ticks, setting, new 1) ticks",
            "AnyKeyValueChange(<computed (Optional<Named>)>?.<computed (Int)>, setting, new Optional(0)) none",
        ])
        observations.unobserveAll()
        #expect(unsafe kept?.description == "KeyValueChange(hour, setting, old 0, new 7)" && kept?.propertyName == "hour")
    }
}
