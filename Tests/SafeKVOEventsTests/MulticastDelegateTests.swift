import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import TestSupport
import Testing

/// A protocol that several objects conform to, for one list of delegates.
private protocol ListDelegate: AnyObject {
    func listDidReload(_ count: Int)
}

/// Several weak delegates of one protocol.
@Suite struct MulticastDelegateTests {
    private final class View: ListDelegate {
        let name: String
        let log: EventLog<String>
        var afterReload: () -> Void = {}

        init(_ name: String, _ log: EventLog<String>) {
            self.name = name
            self.log = log
        }

        func listDidReload(_ count: Int) {
            log.append("\(name) \(count)")
            afterReload()
        }
    }

    private final class Counter: ListDelegate {
        let log: EventLog<String>
        init(_ log: EventLog<String>) { self.log = log }
        func listDidReload(_ count: Int) { log.append("counter \(count)") }
    }

    let log = EventLog<String>()
    private let delegates = MulticastDelegate<any ListDelegate>()

    @Test("Rule 51: delegates are called in the order in which they were added, each once")
    func delegatesAreCalledInOrder() throws {
        let (a, b, counter) = (View("a", log), View("b", log), Counter(log))
        defer { withExtendedLifetime((a, b, counter)) {} }
        delegates.call { $0.listDidReload(0) }
        #expect(delegates.add(b) == .added)
        #expect(delegates.add(counter) == .added)
        #expect(delegates.add(a) == .added)
        #expect(delegates.add(b) == .alreadyObserved)
        delegates.call { $0.listDidReload(1) }
        try log.expect(["b 1", "counter 1", "a 1"])
        #expect(delegates.remove(counter))
        #expect(!delegates.remove(counter))
        delegates.call { $0.listDidReload(2) }
        try log.expect(["b 2", "a 2"])
    }

    @Test("Rule 51: one that died is dropped")
    func oneThatDiedIsDropped() throws {
        let tracker = LifetimeTracker()
        let a = View("a", log)
        func live() {
            let gone = tracker.track(View("gone", log))
            delegates.add(gone)
            delegates.add(a)
            delegates.call { $0.listDidReload(1) }
            withExtendedLifetime(gone) {}
        }
        live()
        try tracker.expectAllGone()
        delegates.call { $0.listDidReload(2) }
        try log.expect(["gone 1", "a 1", "a 2"])
        withExtendedLifetime(a) {}
    }

    @Test("Rule 51: removing one during a call is effective at once; one that is added hears the next")
    func removingDuringACallCountsAtOnce() throws {
        let (a, b, c) = (View("a", log), View("b", log), View("c", log))
        defer { withExtendedLifetime((a, b, c)) {} }
        a.afterReload = { [delegates, unowned b, unowned c] in
            delegates.remove(b)
            delegates.add(c)
        }
        delegates.add(a)
        delegates.add(b)
        delegates.call { $0.listDidReload(1) }
        try log.expect(["a 1"])
        delegates.call { $0.listDidReload(2) }
        try log.expect(["a 2", "c 2"])
        a.afterReload = {}
    }

    @Test("Rule 51: delegates may be of a class, and the list may go first")
    func delegatesMayBeOfAClass() throws {
        let counter = Counter(log)
        func live() {
            let own = MulticastDelegate<Counter>()
            own.add(counter)
            own.call { $0.listDidReload(7) }
        }
        live()
        try log.expect(["counter 7"])
    }

    @Test("What is no object is refused")
    func valuesAreRefused() {
        let own = MulticastDelegate<Int>()
        #expect(own.add(1) == .refused(.noObject))
        #expect(!own.remove(1))
        own.call { _ in log.append("never") }
        #expect(log.events.isEmpty)
    }

    protocol Delegate { func songDidEnd() }
    struct Value: Delegate { func songDidEnd() {} }
    final class Object: Delegate { func songDidEnd() {} }

    @Test("Rule 40a: a delegate that is not an object is reported")
    func aDelegateThatIsNoObjectIsReported() {
        Warnings.listen()
        let delegates = MulticastDelegate<any Delegate>()
        let object = Object()
        let start: UInt = #line
        for delegate in [Value(), object, Value()] as [any Delegate] { delegates.add(delegate) }
        #expect(Warnings.about(start...#line) == ["refusedRegistration 1"])
        #expect(Warnings.messages(start...#line).first?.contains("`Value`") ?? false)
    }
}
