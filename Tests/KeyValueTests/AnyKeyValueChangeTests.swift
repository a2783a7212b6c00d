import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

@Suite struct AnyKeyValueChangeTests {
    final class Subject: KeyValueObject {
        @Observed var value = 0
        @Observed var other = 0
        @Observed var name: String?
        var doubled: Int { value * 2 }
    }
    final class Observer: KeyValueObserver {
        enum Context { case value, name }
        let log = EventLog<String>()

        func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Context) {
            log.append("\(context): \(change.newValue.map { "\($0)" } ?? "absent")")
        }
    }

    let subject = Subject()
    let observer = Observer()

    @Test func aChangeWithoutTypeHasAllPartsOfTheOneWithType() {
        let indexes = RangeSet(1..<3)
        let typed = KeyValueChange(
            kind: .replacement, newValue: 1, oldValue: 2, indexes: indexes, isPrior: true, isInitial: true)
        let change = AnyKeyValueChange(typed, keyPath: \Subject.value)
        #expect(change.kind == .replacement)
        #expect(change.newValue as? Int == 1)
        #expect(change.oldValue as? Int == 2)
        #expect(change.indexes == indexes)
        #expect(change.isPrior)
        #expect(change.isInitial)
        #expect(change.keyPath == \Subject.value)
        #expect(change.typed(as: \Subject.value) == typed)
    }

    @Test func aChangeIsOfTheKeyPathThatItNamesOnly() {
        let change = AnyKeyValueChange(KeyValueChange(newValue: 1), keyPath: \Subject.value)
        #expect(change.typed(as: \Subject.other) == nil)
        #expect(change.typed(as: \Subject.name) == nil)
        #expect(AnyKeyValueChange(KeyValueChange(newValue: 1)).typed(as: \Subject.value) == nil)
    }

    @Test("Rule 3: present nil stays present, and absent stays absent")
    func presentNilStaysPresent() throws {
        let absent = AnyKeyValueChange(KeyValueChange<String?>(), keyPath: \Subject.name)
        #expect(absent.newValue == nil)
        #expect(absent.oldValue == nil)
        let absentAgain = try #require(absent.typed(as: \Subject.name))
        #expect(absentAgain == KeyValueChange<String?>())

        let present = AnyKeyValueChange(
            KeyValueChange<String?>(newValue: .some(nil), oldValue: .some("a")), keyPath: \Subject.name)
        #expect(present.newValue != nil)
        let presentAgain = try #require(present.typed(as: \Subject.name))
        #expect(presentAgain == KeyValueChange<String?>(newValue: .some(nil), oldValue: .some("a")))
    }

    @Test("One handler for several key paths is told which one changed, with its type")
    func oneHandlerHearsSeveralKeyPaths() throws {
        let log = EventLog<String>()
        let observations = ObservationController(observer: observer)
        let results = observations.observeEach(subject, [\.value, \.name, \.doubled], options: [.initial, .old, .new]) {
            _, object, change in
            #expect(object === subject)
            if let change = change.typed(as: \Subject.value) { log.append("value \(change.told)") }
            if let change = change.typed(as: \Subject.name) { log.append("name \(change.told)") }
            if let change = change.typed(as: \Subject.doubled) { log.append("doubled \(change.told)") }
        }
        #expect(results == [.added, .added, .added])
        try log.expect(["value initial new 0", "name initial new nil", "doubled initial new 0"])
        subject.value = 1
        subject.name = "a"
        subject.other = 1
        try log.expect(["value after old 0 new 1", "doubled after old 0 new 2", #"name after old nil new Optional("a")"#])
    }

    @Test("Each of several key paths is an observation of its own")
    func eachKeyPathIsAnObservationOfItsOwn() throws {
        let log = EventLog<String>()
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new) { _, _, change in log.append("first \(change.told)") }
        let results = observations.observeEach(subject, [\.value, \.other, \.other]) { _, _, change in log.append("several") }
        #expect(results == [.alreadyObserved, .added, .alreadyObserved])
        subject.value = 1
        subject.other = 1
        try log.expect(["first after new 1", "several"])
        #expect(observations.unobserve(subject, \.other) == 1)
        #expect(observations.unobserveEach(subject, [\.value, \.other]) == 1)
        #expect(observations.unobserve(subject) == 0)
    }

    @Test("Observing no key path, or of no object, does nothing")
    func observingNothingDoesNothing() {
        let observations = ObservationController(observer: observer)
        #expect(observations.observeEach(subject, []) { _, _, _ in }.isEmpty)
        let none: Subject? = nil
        #expect(observations.observeEach(none, [\.value, \.name]) { _, _, _ in } == [.refused(.noObject), .refused(.noObject)])
    }

    @Test("An observer with a context, and one of several key paths, are told changes without type")
    func contextsAndSeveralKeyPathsAreToldChangesWithoutType() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(subject, \.value, options: .new, context: .value)
        observations.observe(subject, \.name, options: [.initial, .new], context: .name)
        observations.observeEach(subject, [\.value, \.other], tag: "each") { observer, _, change in
            observer.log.append("each: \(change.newValue.map { "\($0)" } ?? "absent")")
        }
        subject.value = 1
        subject.name = nil
        subject.other = 2
        try observer.log.expect(["name: nil", "value: 1", "each: 1", "name: nil", "each: 2"])
    }
}
