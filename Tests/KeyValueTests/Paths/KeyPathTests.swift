import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

@Suite struct KeyPathTests {
    class Base: KeyValueObject {
        @Observed var name = "a"
        @Observed var items: [Int] = []
        @Observed var position = Position(x: 0, y: 0)
        var plain = 0
        var greeting: String { "Hello \(name)" }
        var shout: String { greeting + "!" }
        subscript(index: Int) -> Int { items[index] }
        subscript(times times: Int) -> String { String(repeating: name, count: times) }
    }
    final class Sub: Base {
        @Observed var extra = 0
    }
    struct Position {
        var x: Int
        var y: Int
    }
    final class Observer {}

    let sub = Sub()
    let observer = Observer()
    let log = EventLog<String>()

    // MARK: Spellings

    @Test("Rule 20: a superclass's property can be observed through a subclass key path, and the reverse")
    func bothSpellingsHearTheProperty() throws {
        let first = ObservationController(observer: observer)
        let second = ObservationController(observer: observer)
        first.observe(sub, \Sub.name, options: [.old, .new]) { _, _, change in log.append("sub \(change.told)") }
        second.observe(sub as Base, \Base.name, options: [.old, .new]) { _, _, change in log.append("base \(change.told)") }
        sub.name = "b"
        (sub as Base).name = "c"
        try log.expect(["sub after old a new b", "base after old a new b", "sub after old b new c", "base after old b new c"])
    }

    @Test("Rule 20: both spellings are one observation, whichever comes first", arguments: [false, true])
    func bothSpellingsAreOneObservation(baseFirst: Bool) throws {
        let observations = ObservationController(observer: observer)
        func observeSub() -> ObservationResult {
            observations.observe(sub, \Sub.name, options: .new) { _, _, change in log.append("sub \(change.told)") }
        }
        func observeBase() -> ObservationResult {
            observations.observe(sub as Base, \Base.name, options: .new) { _, _, change in log.append("base \(change.told)") }
        }
        let results = baseFirst ? [observeBase(), observeSub()] : [observeSub(), observeBase()]
        #expect(results == [.added, .alreadyObserved])
        sub.name = "b"
        try log.expect([baseFirst ? "base after new b" : "sub after new b"])
    }

    @Test("Rule 20: either spelling removes", arguments: [false, true])
    func eitherSpellingRemoves(baseFirst: Bool) throws {
        let observations = ObservationController(observer: observer)
        if baseFirst {
            observations.observe(sub as Base, \Base.name, options: .new) { _, _, _ in log.append("called") }
            #expect(observations.unobserve(sub, \Sub.name) == 1)
        } else {
            observations.observe(sub, \Sub.name, options: .new) { _, _, _ in log.append("called") }
            #expect(observations.unobserve(sub as Base, \Base.name) == 1)
        }
        sub.name = "b"
        try log.expect([])
    }

    @Test("Rule 20: a key path that was put together is the property that it leads to")
    func aKeyPathThatWasPutTogetherIsTheProperty() throws {
        let observations = ObservationController(observer: observer)
        let identity: KeyPath<Sub, Sub> = \.self
        #expect(observations.observe(sub, \.name, options: .new) { _, _, _ in log.append("literal") } == .added)
        #expect(
            observations.observe(sub, identity.appending(path: \.name), options: .new) { _, _, _ in log.append("appended") }
                == .alreadyObserved)
        sub.name = "b"
        try log.expect(["literal"])
    }

    @Test("The change carries the key path as it was given")
    func theChangeCarriesTheKeyPathAsGiven() {
        let observations = ObservationController(observer: observer)
        var heard: [AnyKeyPath?] = []
        observations.observeEach(sub, [\Sub.name], tag: "sub") { _, _, change in heard.append(change.keyPath) }
        observations.observeEach(sub as Base, [\Base.name], tag: "base") { _, _, change in heard.append(change.keyPath) }
        sub.name = "b"
        #expect(heard == [\Sub.name, \Base.name])
    }

    // MARK: Computed properties

    @Test("Rule 13: a computed property, also one of computed properties, is told with old and new value")
    func aComputedPropertyIsTold() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(sub, \.shout, options: [.initial, .prior, .old, .new]) { _, object, change in
            #expect(object === sub)
            log.append("\(change.told), the getter \(sub.shout)")
        }
        sub.name = "b"
        sub.extra = 1
        try log.expect([
            "initial new Hello a!, the getter Hello a!", "prior old Hello a!, the getter Hello a!",
            "after old Hello a! new Hello b!, the getter Hello b!",
        ])
    }

    @Test("Rule 13: after each change it is found out anew what a computed property depends on")
    func dependenciesAreFoundOutAnew() throws {
        final class Choice: KeyValueObject {
            @Observed var usesFirst = true
            @Observed var first = 1
            @Observed var second = 10
            var chosen: Int { usesFirst ? first : second }
        }
        let choice = Choice()
        let observations = ObservationController(observer: observer)
        observations.observe(choice, \.chosen, options: [.old, .new]) { _, _, change in log.append(change.told) }
        choice.second = 11
        choice.first = 2
        choice.usesFirst = false
        choice.first = 3
        choice.second = 12
        try log.expect(["after old 1 new 2", "after old 2 new 11", "after old 11 new 12"])
    }

    @Test("Rules 5, 20a: the old value of a nested key path is the last one that was told, also after a change that nobody announced")
    func theOldValueContinuesTheLastOne() throws {
        class Dial: KeyValueObject {
            @Observed var position = 0
            override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { key != \Dial.position }
        }
        final class Panel: KeyValueObject { @Observed var dial = Dial() }
        let panel = Panel()
        let observations = ObservationController(observer: observer)
        observations.observe(panel, \.dial.position, options: [.prior, .old, .new]) { _, _, change in log.append(change.told) }
        panel.dial.position = 1
        panel.dial.withChange(of: \.position) { panel.dial.position = 2 }
        panel.dial.withChange(of: \.position) { panel.dial.position = 3 }
        try log.expect(["prior old 0", "after old 0 new 2", "prior old 2", "after old 2 new 3"])
    }

    @Test("Rule 20a: the value before the change is not evaluated, also if somebody asked for it")
    func theOldValueIsEvaluatedOnlyIfAsked() throws {
        final class Counting: KeyValueObject {
            @Observed var value = 0
            var evaluations = 0
            var derived: Int {
                evaluations += 1
                return value
            }
        }
        let counting = Counting()
        let observations = ObservationController(observer: observer)
        observations.observe(counting, \.derived, options: .new, tag: "new") { _, _, change in log.append(change.told) }
        #expect(counting.evaluations == 1)
        counting.value = 1
        #expect(counting.evaluations == 2)
        observations.observe(counting, \.derived, options: .old, tag: "old") { _, _, change in log.append(change.told) }
        counting.evaluations = 0
        counting.value = 2
        #expect(counting.evaluations == 1)
        try log.expect(["after new 1", "after new 2", "after old 1"])
    }

    // MARK: Other paths

    @Test("Rules 13, 18: what lies behind a collection is a setting with old and new")
    func aPathBehindACollectionIsASetting() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(sub, \.items.count, options: [.initial, .old, .new]) { _, _, change in log.append(change.told) }
        sub.items.append(5)
        sub.items = [1, 2, 3]
        sub.items[0] = 9
        try log.expect(["initial new 0", "after old 0 new 1", "after old 1 new 3", "after old 3 new 3"])
    }

    @Test("Rule 13: subscripts may be observed, of the object and of a value; the arguments count")
    func subscriptsMayBeObserved() throws {
        let observations = ObservationController(observer: observer)
        sub.items = [1, 2]
        #expect(observations.observe(sub, \.[0], options: [.old, .new]) { _, _, change in log.append("0 \(change.told)") } == .added)
        #expect(observations.observe(sub, \.[1], options: [.old, .new]) { _, _, change in log.append("1 \(change.told)") } == .added)
        #expect(observations.observe(sub, \.[1], options: [.old, .new]) { _, _, _ in log.append("never") } == .alreadyObserved)
        observations.observe(sub, \.items[1], options: [.old, .new]) { _, _, change in log.append("item \(change.told)") }
        observations.observe(sub, \.[times: 2], options: [.old, .new]) { _, _, change in log.append("twice \(change.told)") }
        sub.items[1] = 3
        sub.name = "b"
        try log.expect(["0 after old 1 new 1", "1 after old 2 new 3", "item after old 2 new 3", "twice after old aa new bb"])
        #expect(observations.unobserve(sub, \.[0]) == 1)
        sub.items[0] = 7
        try log.expect(["1 after old 3 new 3", "item after old 3 new 3"])
    }

    @Test("However many key paths an object has been observed by, a setter looks only at its properties")
    func manyKeyPathsDoNotSlowSetters() {
        let observations = ObservationController(observer: observer)
        for times in 0..<300 {
            observations.observe(sub, \.[times: times], options: .new) { _, _, change in log.append(change.told) }
            observations.unobserve(sub, \.[times: times])
        }
        observations.observe(sub, \.[times: 2], options: .new) { _, _, change in log.append(change.told) }
        sub.name = "b"
        #expect(log.removeAll() == ["after new bb"])
        #expect(sub.propertyListCount == 1)
    }

    @Test("Rule 13: a part of a struct may be observed")
    func aPartOfAStructMayBeObserved() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(sub, \.position.x, options: [.old, .new], removing: .duplicates) { _, _, change in log.append(change.told) }
        sub.position.x = 1
        sub.position.y = 1
        sub.position = Position(x: 2, y: 2)
        try log.expect(["after old 0 new 1", "after old 1 new 2"])
    }

    @Test("Rule 19: a key path that touches nothing observable is accepted, tells its initial value, and then never fires")
    func aKeyPathToNothingObservableIsAccepted() throws {
        let observations = ObservationController(observer: observer)
        let result = observations.observe(sub, \.plain, options: [.initial, .new]) { _, _, change in log.append(change.told) }
        #expect(result == .added)
        sub.plain = 1
        sub.name = "b"
        try log.expect(["initial new 0"])
        #expect(observations.observe(sub, \.plain, options: .new) { _, _, _ in } == .alreadyObserved)
        #expect(observations.unobserve(sub, \.plain) == 1)
    }
}
