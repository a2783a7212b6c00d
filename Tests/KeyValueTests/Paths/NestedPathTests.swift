import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

@Suite struct NestedPathTests {
    final class Message: KeyValueObject {
        @Observed var text = ""
        @Observed var next: Message?
        convenience init(_ text: String) {
            self.init()
            self.text = text
        }
    }
    final class Folder: KeyValueObject {
        @Observed var message = Message("a")
        @Observed var draft: Message?
        @Observed var pinned: Message!
        var summary: String { "\(message.text), \(draft?.text ?? "none")" }
    }
    final class Observer {}

    let folder = Folder()
    let observer = Observer()
    let log = EventLog<String>()

    @Test("Rule 14: a nested path tells changes of each of its parts, with the root object")
    func eachPartOfAPathIsHeard() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(folder, \.message.text, options: [.initial, .prior, .old, .new]) { _, object, change in
            #expect(object === folder)
            log.append(change.told)
        }
        folder.message.text = "b"
        folder.message = Message("c")
        try log.expect(["initial new a", "prior old a", "after old a new b", "prior old b", "after old b new c"])
    }

    @Test("Rule 14: an object that was replaced is silent and not kept alive")
    func aReplacedObjectIsSilentAndReleased() throws {
        let tracker = LifetimeTracker()
        let observations = ObservationController(observer: observer)
        let first = Message("first")
        do {
            folder.message = first
            observations.observe(folder, \.message.text, options: [.old, .new]) { _, _, change in log.append(change.told) }
            folder.message = tracker.track(Message("second"))
            first.text = "silent"
            folder.message.text = "loud"
            folder.message = first
        }
        first.text = "heard again"
        try log.expect([
            "after old first new second", "after old second new loud", "after old loud new silent", "after old silent new heard again",
        ])
        try tracker.expectAllGone()
    }

    @Test("Rule 15: an optional chain's value is optional once, and nil on the way is a present nil")
    func anOptionalChainIsOptionalOnce() throws {
        let observations = ObservationController(observer: observer)
        var changes: [KeyValueChange<String?>] = []
        observations.observe(folder, \.draft?.text, options: [.initial, .old, .new]) { _, _, change in changes.append(change) }
        folder.draft = Message("a")
        folder.draft?.text = "b"
        folder.draft = nil
        #expect(
            changes == [
                KeyValueChange(newValue: .some(nil), isInitial: true),
                KeyValueChange(newValue: "a", oldValue: .some(nil)),
                KeyValueChange(newValue: "b", oldValue: "a"),
                KeyValueChange(newValue: .some(nil), oldValue: "b"),
            ])
    }

    @Test("Rule 14: a chain of several optionals follows every exchange on the way")
    func aLongChainFollowsEveryExchange() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(folder, \.draft?.next?.text, options: [.old, .new]) { _, _, change in log.append(change.told) }
        let draft = Message("draft")
        folder.draft = draft
        draft.next = Message("a")
        draft.next?.text = "b"
        draft.text = "not on the path"
        folder.draft = nil
        draft.next?.text = "silent"
        try log.expect([
            "after old nil new nil", #"after old nil new Optional("a")"#, #"after old Optional("a") new Optional("b")"#,
            #"after old Optional("b") new nil"#,
        ])
    }

    @Test("Rule 14: a path through an implicitly unwrapped optional")
    func aPathThroughAnUnwrappedOptional() throws {
        let observations = ObservationController(observer: observer)
        folder.pinned = Message("a")
        observations.observe(folder, \.pinned.text, options: [.old, .new]) { _, _, change in log.append(change.told) }
        folder.pinned.text = "b"
        folder.pinned = Message("c")
        try log.expect(["after old a new b", "after old b new c"])
    }

    @Test("Rule 14: an owner that observes itself follows the object that it owns when that is exchanged")
    func anOwnerFollowsTheObjectThatItOwns() throws {
        final class Owner: KeyValueObject {
            @Observed var message: Message?
            private(set) var heard: [String?] = []
            private lazy var observations = ObservationController(observer: self)
            func start() {
                observations.observe(self, \.message?.text) { owner, text in owner.heard.append(text) }
            }
        }
        let tracker = LifetimeTracker()
        do {
            let owner = tracker.track(Owner())
            owner.start()
            let first = tracker.track(Message("a"))
            owner.message = first
            first.text = "b"
            owner.message = tracker.track(Message("c"))
            first.text = "silent"
            owner.message?.text = "d"
            owner.message = nil
            #expect(owner.heard == [nil, "a", "b", "c", "d", nil])
        }
        try tracker.expectAllGone()
    }

    @Test("Rule 14: an exchange in a handler of the same path is a change of its own")
    func anExchangeInAHandlerIsAChangeOfItsOwn() throws {
        let observations = ObservationController(observer: observer)
        observations.observe(folder, \.message.text, options: [.old, .new]) { _, folder, change in
            log.append(change.told)
            if change.newValue == "b" { folder.message = Message("c") }
        }
        folder.message.text = "b"
        folder.message.text = "d"
        try log.expect(["after old a new b", "after old b new c", "after old c new d"])
    }

    @Test("Rule 16: a cycle of objects that a path passes twice is told once a change")
    func aCycleOfObjectsIsToldOnce() throws {
        let message = Message("a")
        message.next = message
        let observations = ObservationController(observer: observer)
        observations.observe(message, \.next?.next?.text, options: [.prior, .old, .new]) { _, _, change in log.append(change.told) }
        message.text = "b"
        message.next = nil
        try log.expect([
            #"prior old Optional("a")"#, #"after old Optional("a") new Optional("b")"#, #"prior old Optional("b")"#,
            #"after old Optional("b") new nil"#,
        ])
    }

    @Test("Rule 16: a value that depends on one property by two ways is told once a change")
    func aDiamondIsToldOnce() throws {
        final class Account: KeyValueObject {
            @Observed var amount = 1
            var half: Int { amount * 10 }
            var double: Int { amount * 2 }
            var both: Int { half + double + amount }
        }
        let account = Account()
        let observations = ObservationController(observer: observer)
        observations.observe(account, \.both, options: [.prior, .old, .new]) { _, _, change in log.append(change.told) }
        account.amount = 2
        try log.expect(["prior old 13", "after old 13 new 26"])
    }

    @Test("Rule 16: one object that a computed value reads under two names is told once a change")
    func aSharedObjectIsToldOnce() throws {
        let observations = ObservationController(observer: observer)
        folder.draft = folder.message
        observations.observe(folder, \.summary, options: [.old, .new]) { _, _, change in log.append(change.told) }
        folder.message.text = "b"
        folder.message = Message("c")
        folder.draft = nil
        try log.expect(["after old a, a new b, b", "after old b, b new c, b", "after old c, b new c, none"])
    }

    @Test("After removal no part of a path is heard, and nothing is kept alive")
    func afterRemovalNothingIsHeardOrKept() throws {
        let tracker = LifetimeTracker()
        do {
            let folder = tracker.track(Folder())
            folder.message = tracker.track(Message("a"))
            let observations = ObservationController(observer: observer)
            observations.observe(folder, \.message.text, options: [.old, .new]) { _, _, change in log.append(change.told) }
            folder.message.text = "b"
            #expect(observations.unobserve(folder, \.message.text) == 1)
            folder.message.text = "c"
            folder.message = tracker.track(Message("d"))
        }
        try log.expect(["after old a new b"])
        try tracker.expectAllGone()
    }
}
