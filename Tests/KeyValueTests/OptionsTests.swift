import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Rules 3, 4 and 5 for every combination of options and every sort of key path.
@MainActor @Suite struct OptionsTests {
    final class Part: KeyValueObject {
        @Observed var value = 0
    }
    final class Subject: KeyValueObject {
        @Observed var stored = 0
        @AtomicObserved var atomic = 0
        @Observed var part = Part()
        var computed: Int { stored }

        func set(_ value: Int) {
            stored = value
            atomic = value
            part.value = value
        }
    }
    final class Observer {}

    let observer = Observer()

    enum Sort: CaseIterable {
        case stored, atomic, computed, nested

        var keyPath: KeyPath<Subject, Int> {
            switch self {
            case .stored: \.stored
            case .atomic: \.atomic
            case .computed: \.computed
            case .nested: \.part.value
            }
        }
    }

    /// What is heard on registration, and of one change from 0 to 1 and one from 1 to 1.
    struct Row: Sendable, CustomStringConvertible {
        let options: KeyValueObservingOptions
        let onRegistration: [String]
        let onChanges: [String]

        init(_ options: KeyValueObservingOptions, _ onRegistration: [String], _ onChanges: [String]) {
            self.options = options
            self.onRegistration = onRegistration
            self.onChanges = onChanges
        }

        var description: String { "\(options)" }
    }

    nonisolated static let rows: [Row] = [
        Row([], [], ["after", "after"]),
        Row([.new], [], ["after new 1", "after new 1"]),
        Row([.old], [], ["after old 0", "after old 1"]),
        Row([.old, .new], [], ["after old 0 new 1", "after old 1 new 1"]),
        Row([.initial], ["initial"], ["after", "after"]),
        Row([.initial, .new], ["initial new 0"], ["after new 1", "after new 1"]),
        Row([.initial, .old], ["initial"], ["after old 0", "after old 1"]),
        Row([.initial, .old, .new], ["initial new 0"], ["after old 0 new 1", "after old 1 new 1"]),
        Row([.prior], [], ["prior", "after", "prior", "after"]),
        Row([.prior, .new], [], ["prior", "after new 1", "prior", "after new 1"]),
        Row([.prior, .old], [], ["prior old 0", "after old 0", "prior old 1", "after old 1"]),
        Row([.prior, .old, .new], [], ["prior old 0", "after old 0 new 1", "prior old 1", "after old 1 new 1"]),
        Row([.initial, .prior], ["initial"], ["prior", "after", "prior", "after"]),
        Row([.initial, .prior, .new], ["initial new 0"], ["prior", "after new 1", "prior", "after new 1"]),
        Row([.initial, .prior, .old], ["initial"], ["prior old 0", "after old 0", "prior old 1", "after old 1"]),
        Row(
            [.initial, .prior, .old, .new], ["initial new 0"],
            ["prior old 0", "after old 0 new 1", "prior old 1", "after old 1 new 1"]),
    ]

    @Test("The table has every combination of options")
    func theTableIsComplete() {
        #expect(Set(Self.rows.map(\.options.rawValue)) == Set(0..<16))
    }

    @Test("Rules 3, 4, 5: each combination of options has its history", arguments: rows, Sort.allCases)
    func eachCombinationOfOptionsHasItsHistory(row: Row, sort: Sort) throws {
        let subject = Subject()
        let log = EventLog<String>()
        let observations = ObservationController(observer: observer)
        observations.observe(subject, sort.keyPath, options: row.options) { _, _, change in log.append(change.told) }
        try log.expect(row.onRegistration)
        subject.set(1)
        subject.set(1)
        try log.expect(row.onChanges)
    }

    @Test("Rule 7: beside an observer who asks for everything, each still gets its own", arguments: rows, Sort.allCases)
    func anObserverWhoAsksForEverythingChangesNothingForTheOthers(row: Row, sort: Sort) throws {
        let subject = Subject()
        let log = EventLog<String>()
        let observations = ObservationController(observer: observer)
        observations.observe(subject, sort.keyPath, options: [.initial, .prior, .old, .new], tag: "all") { _, _, _ in }
        observations.observe(subject, sort.keyPath, options: row.options) { _, _, change in log.append(change.told) }
        try log.expect(row.onRegistration)
        subject.set(1)
        subject.set(1)
        try log.expect(row.onChanges)
    }

    @Test("Rule 4: the initial call is for the new observer only")
    func theInitialCallIsForTheNewObserverOnly() throws {
        let subject = Subject()
        let log = EventLog<String>()
        let observations = ObservationController(observer: observer)
        for tag in ["a", "b"] as [ObservationTag] {
            observations.observe(subject, \.stored, options: [.initial, .new], tag: tag) { _, _, change in
                log.append("\(tag): \(change.told)")
            }
        }
        try log.expect(["a: initial new 0", "b: initial new 0"])
    }

    @Test("Rules 4, 15: an initial nil is present")
    func anInitialNilIsPresent() throws {
        final class Subject: KeyValueObject {
            @Observed var name: String?
        }
        var changes: [KeyValueChange<String?>] = []
        let observations = ObservationController(observer: observer)
        observations.observe(Subject(), \.name, options: [.initial, .new]) { _, _, change in changes.append(change) }
        #expect(changes == [KeyValueChange(newValue: .some(nil), isInitial: true)])
    }

    @Test("The value form means initial and new")
    func theValueFormMeansInitialAndNew() throws {
        let subject = Subject()
        let log = EventLog<Int>()
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.stored) { _, value in log.append(value) }
        subject.set(1)
        subject.set(1)
        try log.expect([0, 1, 1])
    }

    @Test func optionsAreDescribedAsTheyAreWritten() {
        #expect("\(KeyValueObservingOptions())" == "[]")
        #expect("\([.prior, .old, .new, .initial] as KeyValueObservingOptions)" == "[.initial, .new, .old, .prior]")
    }
}
