import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// What can be done with a property that is `@Observed`: everything that can be done with a plain one.
@Suite struct ObservedPropertyTests {
    final class Observer {}

    let observer = Observer()
    let log = EventLog<String>()

    @Test func aPropertyMayBeSetInsideItsClassOnly() throws {
        final class Account: KeyValueObject {
            @Observed private(set) var balance = 0
            func pay(_ amount: Int) { balance += amount }
        }
        let account = Account()
        let observations = ObservationController(observer: observer)
        observations.observe(account, \.balance, options: [.old, .new]) { _, _, change in log.append(change.told) }
        account.pay(5)
        try log.expect(["after old 0 new 5"])
    }

    @Test func aPropertyMayGetItsFirstValueInInit() throws {
        final class Account: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var owner: String
            @Observed var limit: Int
            init(owner: String) {
                self.owner = owner
                limit = 10
                limit = 20
            }
        }
        let account = Account(owner: "A")
        let observations = ObservationController(observer: observer)
        observations.observe(account, \.owner, options: [.initial, .new]) { _, _, change in log.append("owner \(change.told)") }
        observations.observe(account, \.limit, options: [.initial, .old, .new]) { _, _, change in log.append("limit \(change.told)") }
        account.owner = "B"
        account.limit = 30
        try log.expect(["owner initial new A", "limit initial new 20", "owner after new B", "limit after old 20 new 30"])
    }

    @Test func anOptionalNeedsNoFirstValue() throws {
        final class Person: KeyValueObject {
            @Observed var nickname: String?
            @Observed var age: Int!
        }
        let person = Person()
        #expect(person.nickname == nil)
        let observations = ObservationController(observer: observer)
        observations.observe(person, \.nickname, options: [.initial, .old, .new]) { _, _, change in log.append(change.told) }
        observations.observe(person, \.age, options: [.old, .new]) { _, _, change in log.append("age \(change.told)") }
        person.nickname = "Al"
        person.nickname = nil
        person.age = 4
        try log.expect([
            "initial new nil", #"after old nil new Optional("Al")"#, #"after old Optional("Al") new nil"#,
            "age after old nil new Optional(4)",
        ])
    }

    @Test("didSet and willSet of the property work; observers are called before didSet")
    func observersOfThePropertyItselfWork() throws {
        final class Slider: KeyValueObject {
            let log: EventLog<String>
            @Observed var position = 0 {
                willSet { log.append("willSet to \(newValue), is \(position)") }
                didSet { log.append("didSet from \(oldValue), is \(position)") }
            }
            init(log: EventLog<String>) { self.log = log }
        }
        let slider = Slider(log: log)
        slider.position = 1
        try log.expect(["willSet to 1, is 0", "didSet from 0, is 1"])
        let observations = ObservationController(observer: observer)
        observations.observe(slider, \.position, options: [.prior, .old, .new]) { _, _, change in log.append(change.told) }
        slider.position = 2
        try log.expect(["willSet to 2, is 1", "prior old 1", "after old 1 new 2", "didSet from 1, is 2"])
    }

    @Test("A didSet that sets its own property makes a change of its own")
    func aDidSetMayCorrectTheValue() throws {
        final class Slider: KeyValueObject {
            @Observed var position = 0 {
                didSet { if position > 10 { position = 10 } }
            }
        }
        let slider = Slider()
        let observations = ObservationController(observer: observer)
        observations.observe(slider, \.position, options: [.old, .new]) { _, _, change in log.append(change.told) }
        slider.position = 15
        #expect(slider.position == 10)
        try log.expect(["after old 0 new 15", "after old 15 new 10"])
    }

    @Test("A handler that sets the property again, under a didSet")
    func aDidSetSeesWhatAHandlerWrote() throws {
        final class Slider: KeyValueObject {
            var seen: [Int] = []
            @Observed var position = 0 {
                didSet { seen.append(position) }
            }
        }
        let slider = Slider()
        let observations = ObservationController(observer: observer)
        observations.observe(slider, \.position, options: [.old, .new]) { _, slider, change in
            log.append(change.told)
            if change.newValue == 1 { slider.position = 2 }
        }
        slider.position = 1
        #expect(slider.seen == [2, 2])
        try log.expect(["after old 0 new 1", "after old 1 new 2"])
    }

    @Test("Existentials, closures, tuples and classes may be observed: values that are not Equatable and not Sendable")
    func valuesNeedNoConformance() throws {
        final class Node {}
        final class Holder: KeyValueObject {
            @Observed var any: Any = 1
            @Observed var node = Node()
            @Observed var action: () -> String = { "a" }
            @Observed var pair = (1, "x")
            @Observed var nothing: Void = ()
        }
        let holder = Holder()
        let observations = ObservationController(observer: observer)
        observations.observe(holder, \.any, options: .new) { _, _, change in log.append("any \(change.told)") }
        observations.observe(holder, \.node, options: [.old, .new]) { _, _, change in
            log.append("node \(change.newValue !== change.oldValue)")
        }
        observations.observe(holder, \.action, options: .new) { _, _, change in log.append("action \(change.newValue?() ?? "?")") }
        observations.observe(holder, \.pair, options: .new) { _, _, change in log.append("pair \(change.told)") }
        observations.observe(holder, \.nothing, options: .new) { _, _, change in log.append("nothing \(change.newValue != nil)") }
        holder.any = "text"
        holder.node = Node()
        holder.action = { "b" }
        holder.pair.0 = 2
        holder.nothing = ()
        try log.expect(["any after new text", "node true", "action b", #"pair after new (2, "x")"#, "nothing true"])
    }

    struct Empty {}
    final class Signals: KeyValueObject {
        @Observed var first = Empty()
        @Observed var second = Empty()
        @Observed var finished: Void = ()
        @Observed var name = "a name that does not fit into a small string"
        var loudName: String { name.uppercased() }
    }

    @Test("Properties without a size, which all have one address, are not confused")
    func propertiesWithoutSizeAreNotConfused() throws {
        let signals = Signals()
        let observations = ObservationController(observer: observer)
        #expect(observations.observe(signals, \.first, options: []) { _, _, _ in log.append("first") } == .added)
        #expect(observations.observe(signals, \.second, options: []) { _, _, _ in log.append("second") } == .added)
        signals.second = Empty()
        signals.first = Empty()
        try log.expect(["second", "first"])
    }

    @Test("A property without a size is not confused with a computed property")
    func aPropertyWithoutSizeIsNotConfusedWithAComputedOne() async {
        await #expect(processExitsWith: .success) {
            let signals = Signals()
            let observer = Observer()
            let observations = ObservationController(observer: observer)
            var heard: [String] = []
            observations.observe(signals, \.loudName, options: .new) { _, _, change in heard.append(change.newValue ?? "absent") }
            signals.finished = ()
            precondition(heard.isEmpty, "The change of the one property was delivered to the observer of the other.")
        }
    }

    @Test("A property is read and written through key paths as a plain one is")
    func aPropertyIsWrittenThroughKeyPaths() throws {
        final class Point: KeyValueObject {
            @Observed var x = 0
            @Observed var y = 0
        }
        let point = Point()
        let observations = ObservationController(observer: observer)
        for (name, keyPath) in [("x", \Point.x), ("y", \Point.y)] {
            observations.observe(point, keyPath, options: [.old, .new]) { _, _, change in log.append("\(name) \(change.told)") }
        }
        let keyPath: ReferenceWritableKeyPath<Point, Int> = \.y
        point[keyPath: keyPath] = 1
        point[keyPath: keyPath] += 1
        try log.expect(["y after old 0 new 1", "y after old 1 new 2"])
    }

    @Test("The old value is released when the change is over")
    func theOldValueIsReleasedAfterTheChange() throws {
        final class Node {}
        final class Holder: KeyValueObject {
            @Observed var node: Node?
        }
        let tracker = LifetimeTracker()
        let holder = Holder()
        let observations = ObservationController(observer: observer)
        holder.node = tracker.track(Node())
        observations.observe(holder, \.node, options: [.prior, .old, .new]) { _, _, change in
            log.append("\(change.oldValue.map { $0 != nil } ?? false)")
        }
        holder.node = nil
        try log.expect(["true", "true"])
        try tracker.expectAllGone()
    }
}
