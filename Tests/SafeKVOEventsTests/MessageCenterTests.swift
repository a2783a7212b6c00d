import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Testing

/// Messages with names: who hears what, in which order, until when.
@MainActor @Suite struct MessageCenterTests {
    let log = EventLog<String>()
    let center = MessageCenter()
    let listener: MessageListener

    init() { listener = MessageListener("L", log) }

    @Test("Rule 43: by name, by object, by both and by neither")
    func everyFilterHearsWhatItAskedFor() throws {
        let (x, y) = (Thing(), Thing())
        let observations = listener.observations
        func observe(_ label: String, _ name: MessageName?, _ object: AnyObject?) {
            observations.observe(center, for: name, object: object, tag: ObservationTag(label)) { _, message in
                log.append("\(label): \(message.name)\(message.object === x ? "x" : message.object === y ? "y" : "")")
            }
        }
        observe("name", .a, nil)
        observe("object", nil, x)
        observe("both", .a, x)
        observe("neither", nil, nil)
        center.post(.a)
        try log.expect(["name: a", "neither: a"])
        center.post(.a, object: x)
        try log.expect(["name: ax", "object: ax", "both: ax", "neither: ax"])
        center.post(.a, object: y)
        try log.expect(["name: ay", "neither: ay"])
        center.post(.b)
        try log.expect(["neither: b"])
        center.post(.b, object: x)
        try log.expect(["object: bx", "neither: bx"])
        #expect(observations.unobserve(center, for: nil, tag: "neither") == 1)
        #expect(observations.unobserve(center, for: .a, object: x, tag: "both") == 1)
        #expect(observations.unobserve(center, for: .a, tag: "both") == 0)
        center.post(.a, object: x)
        try log.expect(["name: ax", "object: ax"])
        #expect(observations.unobserve(center) == 2)
        center.post(.a, object: x)
        try log.expect([])
    }

    @Test("Rule 43: three ways to post")
    func threeWaysToPost() throws {
        let thing = Thing()
        listener.observations.observe(center, for: .a) { _, message in
            log.append("\(message.object === thing) \(message.userInfo.map { "\($0.key) \($0.value)" })")
        }
        center.post(.a, object: thing)
        center.post(.a, object: thing, userInfo: ["count": 3])
        center.post(NamedMessage(name: .a, userInfo: [7: "seven"]))
        try log.expect(["true []", #"true ["count 3"]"#, #"false ["7 seven"]"#])
    }

    @Test("Rule 43: names are equal if their texts are, however they were made")
    func namesAreTheirTexts() throws {
        listener.observations.observe(center, for: MessageName(rawValue: "al" + "bum"), action: MessageListener.hear(_:))
        center.post("album")
        center.post(MessageName("albums"))
        try log.expect(["L album"])
        let names: Set<MessageName> = ["x", MessageName("x"), "y"]
        #expect(names.count == 2)
    }

    @Test("Rule 43: delivery in the order of registration, whatever each asked for")
    func deliveryIsInTheOrderOfRegistration() throws {
        let thing = Thing()
        let listeners = (0..<40).map { MessageListener("\($0)", log) }
        defer { withExtendedLifetime(listeners) {} }
        for (index, listener) in listeners.enumerated() {
            listener.observations.observe(
                center, for: index % 4 < 2 ? .a : nil, object: index.isMultiple(of: 2) ? thing : nil, action: MessageListener.wake)
        }
        center.post(.a, object: thing)
        try log.expect((0..<40).map { "\($0) woke" })
        // A replacement keeps its place, also among the lists of other topics.
        listeners[5].observations.observe(center, for: .a, ifAlreadyObserved: .replace) { listener, _ in listener.log.append("new 5") }
        #expect(listeners[6].observations.unobserve(center) == 1)
        listeners[6].observations.observe(center, for: nil, object: thing, action: MessageListener.wake)
        center.post(.a, object: thing)
        try log.expect((0..<40).filter { $0 != 6 }.map { $0 == 5 ? "new 5" : "\($0) woke" } + ["6 woke"])
    }

    @Test("Rule 43: a removal during a post counts at once, for every kind of filter")
    func aRemovalDuringAPostCountsAtOnce() throws {
        let thing = Thing()
        let first = MessageListener("first", log)
        let others = (0..<4).map { MessageListener("\($0)", log) }
        first.observations.observe(center, for: .a) { first, message in
            first.hear(message)
            for other in others { other.observations.unobserveAll() }
            first.observations.unobserve(center, for: .a)
        }
        for (index, other) in others.enumerated() {
            other.observations.observe(
                center, for: index < 2 ? .a : nil, object: index.isMultiple(of: 2) ? thing : nil, action: MessageListener.wake)
        }
        center.post(.a, object: thing)
        center.post(.a, object: thing)
        try log.expect(["first a"])
    }

    @Test("Rule 9: who is added during a post hears the next message, also with another filter")
    func whoIsAddedDuringAPostHearsTheNext() throws {
        let late = MessageListener("late", log)
        listener.observations.observe(center, for: .a) { listener, message in
            listener.hear(message)
            late.observations.observe(center, for: nil, action: MessageListener.hear(_:))
            late.observations.observe(center, for: .a, tag: "by name", action: MessageListener.hear(_:))
        }
        center.post(.a)
        try log.expect(["L a"])
        center.post(.a)
        try log.expect(["L a", "late a", "late a"])
    }

    @Test("Rule 11: posting in a handler is delivered at once, nested")
    func postingInAHandlerIsNested() throws {
        let second = MessageListener("M", log)
        listener.observations.observe(center, for: .a) { listener, message in
            listener.hear(message)
            center.post(.b)
        }
        listener.observations.observe(center, for: .b, action: MessageListener.hear(_:))
        second.observations.observe(center, for: nil, action: MessageListener.hear(_:))
        center.post(.a)
        try log.expect(["L a", "L b", "M b", "M a"])
    }

    @Test("Rule 43: removing twice harms nobody, also when others came in between")
    func removingTwiceHarmsNobody() throws {
        #expect(listener.observations.observe(center, for: .a, action: MessageListener.hear(_:)) == .added)
        #expect(listener.observations.observe(center, for: .a, action: MessageListener.hear(_:)) == .alreadyObserved)
        #expect(listener.observations.unobserve(center, for: .a) == 1)
        let other = MessageListener("M", log)
        other.observations.observe(center, for: .a, action: MessageListener.hear(_:))
        #expect(listener.observations.unobserve(center, for: .a) == 0)
        #expect(listener.observations.unobserve(center) == 0)
        center.post(.a)
        try log.expect(["M a"])
    }

    @Test("Rule 43: a new object at the address of one that is gone gets none of its messages, and the old observation ends")
    func anAddressIsNoIdentity() throws {
        var addresses: Set<ObjectIdentifier> = []
        var reused = 0
        for round in 0..<200 {
            let thing = Thing()
            if !addresses.insert(ObjectIdentifier(thing)).inserted { reused += 1 }
            center.post(.a, object: thing)
            center.post(.b, object: thing)
            let result = listener.observations.observe(center, for: .a, object: thing) { _, _ in
                log.append("\(round)")
            } onTermination: { [log] reason in
                if reason != .objectDeinitialized { log.append("ended: \(reason)") }
            }
            // That there was another at this address is forgotten.
            #expect(result == .added)
        }
        try #require(reused > 0)
        try log.expect([])
    }

    @Test("Rule 43: observations of objects that are gone do not pile up")
    func deadObjectsDoNotPileUp() {
        let counter = EndCounter()
        var things: [Thing] = []
        for _ in 0..<1000 {
            let thing = Thing()
            things.append(thing)  // keeps addresses apart
            listener.observations.observe(center, for: .a, object: thing, handler: { _, _ in }, onTermination: { counter.count($0) })
            if things.count == 10 { things = [] }
        }
        #expect(listener.observations.observations.count <= 200)
        #expect(counter.reasons.keys.allSatisfy { $0 == .objectDeinitialized })
        #expect(listener.observations.observations.count + (counter.reasons[.objectDeinitialized] ?? 0) == 1000)
    }

    @Test("Rules 30 and 32: a message from a deinit is told without the dying object; observing it then is refused")
    func aDyingObjectIsNotHandedOut() throws {
        @MainActor final class Mayfly {
            let center: MessageCenter
            let listener: MessageListener
            init(_ center: MessageCenter, _ listener: MessageListener) {
                self.center = center
                self.listener = listener
            }
            isolated deinit {
                center.post(.a, object: self, userInfo: ["last": "words"])
                listener.log.append("\(listener.observations.observe(center, for: .b, object: self) { _, _ in })")
            }
        }
        listener.observations.observe(center, for: .a) { _, message in log.append("\(message.object == nil) \(message.userInfo.count)") }
        func live() {
            let mayfly = Mayfly(center, listener)
            listener.observations.observe(center, for: nil, object: mayfly) { _, _ in log.append("of the mayfly") }
        }
        live()
        try log.expect(["true 1", "refused(SafeKVO.ObservationResult.Refusal.objectDeinitialized)"])
    }

    @Test("Rule 30: a dead observer is skipped and dropped")
    func aDeadObserverIsDropped() throws {
        var dying: MessageListener? = MessageListener("D", log)
        let observations = try ObservationController(observer: #require(dying))
        observations.observe(center, for: .a, action: MessageListener.hear(_:))
        listener.observations.observe(center, for: .a, action: MessageListener.hear(_:))
        dying = nil
        center.post(.a)
        center.post(.a)
        try log.expect(["L a", "L a"])
        #expect(observations.counters == ObservationCounters(dropped: 1))
        #expect(observations.observations.isEmpty)
    }

    @Test("A centre keeps neither objects nor observers nor messages")
    func aCentreKeepsNothing() throws {
        let tracker = LifetimeTracker()
        func live() {
            let (thing, listener) = (tracker.track(Thing()), tracker.track(MessageListener("T", log)))
            listener.observations.observe(center, for: .a, object: thing, action: MessageListener.hear(_:))
            center.post(.a, object: thing, userInfo: ["thing": tracker.track(Thing())])
        }
        live()
        try tracker.expectAllGone()
        try log.expect(["T a"])
    }

    @Test("Names that nobody observes any more leave nothing behind")
    func namesLeaveNothingBehind() {
        let things = (0..<10).map { _ in Thing() }
        for round in 0..<3 {
            for number in 0..<100 {
                listener.observations.observe(center, for: "name \(number)", action: MessageListener.wake)
                listener.observations.observe(center, for: "name \(number)", object: things[number % 10], action: MessageListener.wake)
            }
            #expect(center.topicCount == 200)
            if round == 1 { for number in 0..<100 { listener.observations.unobserve(center, for: "name \(number)") } }
            listener.observations.unobserveAll()
            #expect(center.topicCount == 0)
        }
        listener.observations.invalidate()
        listener.observations.observe(center, for: .a, action: MessageListener.wake)
        #expect(center.topicCount == 0)
    }

    @Test("A private centre is apart from the default one, and its end ends what was observed there")
    func aPrivateCentreIsApart() throws {
        let name: MessageName = "aPrivateCentreIsApart"
        let observations = ObservationController(observer: listener, retainsObserved: false)
        func live() {
            let own = MessageCenter()
            for object in [nil, listener] {
                observations.observe(own, for: name, object: object) { listener, message in
                    listener.hear(message)
                } onTermination: { [log] in
                    log.append("ended: \($0)")
                }
            }
            observations.observe(MessageCenter.default, for: name) { listener, _ in listener.log.append("default") }
            own.post(name)
            MessageCenter.default.post(name)
        }
        live()
        try log.expect(["L \(name)", "default", "ended: objectDeinitialized", "ended: objectDeinitialized"])
        #expect(observations.unobserveAll() == 1)
    }

    @Test("Every form of the controller hears: closure, method without and with the message")
    func everyFormHears() throws {
        let observations = listener.observations
        observations.observe(center, for: .a) { listener, message in listener.hear(message) }
        observations.observe(center, for: .a, tag: "plain", action: MessageListener.wake)
        observations.observe(center, for: .a, tag: "message", action: MessageListener.hear(_:))
        observations.observe(center, tag: "source") { listener, message in listener.log.append("any \(message.name)") }
        observations.observe(center, for: nil, tag: "source") { listener, message in listener.log.append("never") }
        center.post(.a)
        try log.expect(["L a", "L woke", "L a", "any a"])
        #expect(observations.observe(nil as MessageCenter?, for: .a, action: MessageListener.wake) == .refused(.noObject))
    }

    @Test("Observations are described by their name and object")
    func observationsAreDescribed() {
        listener.observations.observe(center, for: .a) { _, _ in }
        listener.observations.observe(center, for: nil, object: listener) { _, _ in }
        listener.observations.observe(center, for: .b, object: listener) { _, _ in }
        #expect(listener.observations.observations.map(\.name) == ["'a'", "every message of MessageListener", "'b' of MessageListener"])
    }

    @Test("Code without a controller: a token lasts until it is cancelled or released")
    func aTokenLastsUntilItEnds() throws {
        let thing = Thing()
        var kept: ObservationToken? = center.observation(for: .a) { log.append("kept \($0.name)") }
        let cancelled = center.observation(for: nil, object: thing) { log.append("cancelled \($0.name)") }
        center.post(.a)
        center.post(.b, object: thing)
        try log.expect(["kept a", "cancelled b"])
        cancelled.cancel()
        cancelled.cancel()
        center.post(.a, object: thing)
        try log.expect(["kept a"])
        withExtendedLifetime(kept) {}
        kept = nil
        center.post(.a)
        try log.expect([])
        #expect(center.topicCount == 0)
    }

    @Test("A token may be cancelled in its own handler, and does not keep the centre")
    func aTokenMayBeCancelledInItsHandler() throws {
        final class Box { var token: ObservationToken? }
        let box = Box()
        let tracker = LifetimeTracker()
        func live() {
            let own = tracker.track(MessageCenter())
            box.token = own.observation(for: .a) { [weak box] message in
                log.append("\(message.name)")
                box?.token = nil
            }
            own.post(.a)
            own.post(.a)
            box.token = own.observation(for: .a) { _ in }
        }
        live()
        try tracker.expectAllGone()
        try log.expect(["a"])
        withExtendedLifetime(box) {}
    }

    @Test("Rule 43b: a name is removed for all objects at once")
    func aNameIsRemovedForAllObjects() throws {
        let (x, y, observations) = (Thing(), Thing(), listener.observations)
        for object in [x, y, nil] { observations.observe(center, for: .a, object: object) { [log] _, _ in log.append("a") } }
        observations.observe(center, for: .b, object: x) { [log] _, _ in log.append("b") }
        observations.observe(center, for: nil, object: x) { [log] _, _ in log.append("x") }
        #expect(observations.unobserveAll(center, for: .a) == 3)
        #expect(observations.unobserveAll(center, for: .a) == 0)
        #expect(observations.unobserveAll(nil as MessageCenter?, for: .a) == 0)
        center.post(.a, object: x)
        center.post(.b, object: x)
        try log.expect(["x", "b", "x"])
    }

    @Test("Rule 43b: the observations of all names are removed for all objects at once")
    func allNamesAreRemovedForAllObjects() throws {
        let (x, y, observations) = (Thing(), Thing(), listener.observations)
        for object in [x, y, nil] { observations.observe(center, for: nil, object: object) { [log] _, _ in log.append("all") } }
        observations.observe(center, for: .a) { [log] _, _ in log.append("a") }
        #expect(observations.unobserveAll(center, for: nil) == 3)
        #expect(observations.unobserveAll(center, for: nil) == 0)
        center.post(.a, object: x)
        try log.expect(["a"])
        let signal = Signal<Int>()
        observations.observe(signal) { [log] _, _ in log.append("signal") }
        #expect(observations.unobserveAll(signal, for: nil) == 1)
        signal.send(1)
        try log.expect([])
    }
}
