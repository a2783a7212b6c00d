import CocoaDouble
import SafeKVO
import SafeKVOTesting
import Testing

/// What other threads, getters and handlers do to another system's objects while the library is in the middle of something there.
@Suite struct ForeignCrossingTests {
    /// An object whose getter of `next` lets others in, after it has read and before it answers.
    final class Gated: CocoaObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread at a time uses it, as the tests say.
        var next: CocoaObject?
        var onRead: (() -> Void)?

        override var computedKeys: Set<String> { ["next"] }

        override func computedValue(forKey key: String) -> Any? {
            let present = next
            if let onRead {
                self.onRead = nil
                onRead()
            }
            return present
        }

        func link(to other: CocoaObject?) {
            willChangeValue(forKey: "next")
            next = other
            didChangeValue(forKey: "next")
        }
    }

    let runtime = CocoaRuntime()
    let listener = ForeignListener()
    let observations: ObservationController<ForeignListener>
    var log: EventLog<String> { listener.log }

    init() {
        observations = ObservationController(observer: listener)
    }

    @Test("Rule 38: a change on the way, made elsewhere while an observer registers, is told with the value that is there then")
    func aChangeWhileAnObserverRegisters() throws {
        let object = Gated(runtime, [:])
        object.next = CocoaObject(runtime, ["a": 1])
        let second = CocoaObject(runtime, ["a": 2])
        object.onRead = { OtherThread.run { object.link(to: second) } }
        observations.log(object, "next.a", as: Int?.self, options: [.initial, .new])
        try log.expect(["setting initial new Optional(2)", "setting new Optional(2)"])
        second.set(3, forKey: "a")
        try log.expect(["setting new Optional(3)"])
        observations.unobserveAll()
        #expect(runtime.exceptions == [])
    }

    @Test("Rule 2: of two changes on the way, made at once, each is told with the value that is there then")
    func twoChangesOnTheWayAtOnce() throws {
        let (first, second) = (CocoaObject(runtime, ["a": 1]), CocoaObject(runtime, ["a": 2]))
        let inner = Gated(runtime, [:])
        inner.next = first
        let object = Gated(runtime, [:])
        object.next = inner
        observations.log(object, "next.next.a", as: Int?.self, options: [.new])
        let other = Gated(runtime, [:])
        other.next = second
        // While this thread looks for what is on the way now, another one replaces it.
        let third = CocoaObject(runtime, ["a": 3])
        other.onRead = { OtherThread.run { other.link(to: third) } }
        object.link(to: other)
        let heard = log.removeAll()
        #expect(heard.last == "setting new Optional(3)")
        #expect(!heard.contains("setting new nil"))
        #expect(!heard.contains("setting new Optional(1)"))
        observations.unobserveAll()
        #expect(runtime.exceptions == [])
    }
}
