import Foundation
import SafeKVO
import SafeKVOEvents

/// The checks, tried on the library's centre.
enum SafeKVOChecks {
    /// An observer for each word.
    private static func observe(
        _ center: MessageCenter, _ receiver: Receiver, _ word: String, name: MessageName? = "a", object: AnyObject? = nil
    ) -> ObservationController<Receiver> {
        let observations = ObservationController(observer: receiver)
        observations.observe(center, for: name, object: object) { receiver, _ in receiver.heard.append(word) }
        return observations
    }

    static func order() -> String {
        let (center, receiver, thing) = (MessageCenter(), Receiver(), Thing())
        let all = (0..<12).map {
            observe(center, receiver, "\($0)", name: $0 % 4 < 2 ? "a" : nil, object: $0.isMultiple(of: 2) ? thing : nil)
        }
        center.post("a", object: thing)
        return withExtendedLifetime(all) { receiver.verdict((0..<12).map { "\($0)" }) }
    }

    @MainActor static func removalDuringPost() -> String {
        let (center, receiver) = (MessageCenter(), Receiver())
        let observations = ObservationController(observer: receiver)
        for word in ["first", "second", "third"] {
            observations.observe(center, for: "a", tag: ObservationTag(word)) { [unowned observations] receiver, _ in
                receiver.heard.append(word)
                observations.unobserveAll()
            }
        }
        center.post("a")
        return withExtendedLifetime(observations) { receiver.verdict(["first"]) }
    }

    @MainActor static func selfRemoval() -> String {
        let (center, receiver) = (MessageCenter(), Receiver())
        let observations = ObservationController(observer: receiver)
        observations.observe(center, for: "a") { [unowned observations] receiver, _ in
            receiver.heard.append("once")
            observations.unobserve(center, for: "a")
        }
        center.post("a")
        center.post("a")
        return withExtendedLifetime(observations) { receiver.verdict(["once"]) }
    }

    @MainActor static func additionDuringPost() -> String {
        let (center, receiver) = (MessageCenter(), Receiver())
        let observations = ObservationController(observer: receiver)
        observations.observe(center, for: "a") { [unowned observations] receiver, _ in
            receiver.heard.append("first")
            observations.observe(center, for: "a", tag: "late") { receiver, _ in receiver.heard.append("late") }
        }
        center.post("a")
        return withExtendedLifetime(observations) { receiver.verdict(["first"]) }
    }

    static func reusedAddress() -> String {
        let (center, receiver) = (MessageCenter(), Receiver())
        var all: [ObservationController<Receiver>] = []
        var addresses: Set<ObjectIdentifier> = []
        for _ in 0..<200 {
            let thing = Thing()
            if !addresses.insert(ObjectIdentifier(thing)).inserted {
                center.post("a", object: thing)
                return receiver.heard.isEmpty ? "right" : "WRONG: told of a new object at the old address"
            }
            all.append(observe(center, receiver, "stranger", object: thing))
        }
        return "not tried: no address came again"
    }

    static func nilObject() -> String {
        let (center, receiver, thing) = (MessageCenter(), Receiver(), Thing())
        let all = [observe(center, receiver, "any"), observe(center, receiver, "one", object: thing)]
        center.post("a")
        center.post("a", object: thing)
        center.post("a", object: Thing())
        return withExtendedLifetime(all) { receiver.verdict(["any", "any", "one", "any"]) }
    }

    static func doubleRemoval() -> String {
        let (center, receiver) = (MessageCenter(), Receiver())
        for round in 0..<200 {
            let removed = center.observation(for: "a") { _ in receiver.heard.append("removed") }
            removed.cancel()
            receiver.heard = []
            let all = (0..<10).map { number in center.observation(for: "a") { _ in receiver.heard.append("\(number)") } }
            removed.cancel()
            center.post("a")
            if receiver.heard.count != 10 { return "WRONG: somebody else's observer was removed (round \(round))" }
            for one in all { one.cancel() }
        }
        return "right"
    }

    static func tearDown(names: Int) -> String {
        let (center, receiver) = (MessageCenter(), Receiver())
        let all = (0..<10_000).map { observe(center, receiver, "", name: MessageName("name \($0 % names)")) }
        return Watch.nanoseconds(each: 10_000) {
            for one in all { one.unobserveAll() }
        }
    }

    static func postToOwnQueue() -> String {
        let (center, receiver, queue, done) = (MessageCenter(), Receiver(), OperationQueue(), DispatchSemaphore(value: 0))
        queue.maxConcurrentOperationCount = 1
        let observations = observe(center, receiver, "heard")
        queue.addOperation {
            center.post("a")
            done.signal()
        }
        let isBack = done.wait(timeout: .now() + 3) == .success
        return withExtendedLifetime(observations) { isBack ? receiver.verdict(["heard"]) : "WRONG: hangs" }
    }

    static func deadObserver() -> String {
        let center = MessageCenter()
        weak var left: Receiver?
        func live() -> ObservationController<Receiver> {
            let receiver = Receiver()
            left = receiver
            return observe(center, receiver, "heard")
        }
        let observations = live()
        center.post("a")
        center.post("a")
        return left == nil && observations.counters == ObservationCounters(dropped: 1) ? "right" : "WRONG: \(observations.counters)"
    }

    static func rawNameOfAType() -> String {
        struct Typed: Message {}
        let (center, receiver) = (MessageCenter(), Receiver())
        let observations = observe(center, receiver, "raw", name: "Typed")
        observations.observe(center, for: Typed.self) { receiver, _ in receiver.heard.append("typed") }
        center.post("Typed")
        return receiver.verdict(["raw"])
    }
}
