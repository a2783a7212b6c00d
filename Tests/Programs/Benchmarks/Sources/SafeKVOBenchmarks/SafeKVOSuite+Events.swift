import BenchmarkKit
import SafeKVO
import SafeKVOEvents

/// A message that is a number.
private struct Number: Message {
    let value: Int
}

// These two are inlinable, so they stand in functions of their own; see Loops.swift.

@inline(never)
private func send(_ value: Int, _ signal: Signal<Int>) { signal.send(value) }

@inline(never)
private func post(_ number: Number, _ center: MessageCenter) { center.post(number) }

extension SafeKVOSuite {
    /// Signals and messages.
    static var events: [Benchmark] {
        [
            .loop("send, 1 observer") {
                let (signal, observing, step) = (Signal<Int>(), Listening(), opaque(1))
                observing.controller.observe(signal) { view, value in view.sum &+= value &* step }
                return { passes in
                    for pass in 0..<passes { SafeKVOBenchmarks.send(pass, signal) }
                    return observing.view.sum
                }
            },
            posting("post, 1 observer", observers: 1),
            posting("post, each of 100 observers", observers: 100),
            posting("post, nobody observes the name", observers: 1, of: "other"),
            .loop("post, each of 2 observers, of the name and of everything", parts: 2) {
                let (center, named, all, step) = (MessageCenter(), Listening(), Listening(), opaque(1))
                named.controller.observe(center, for: "name") { view, _ in view.sum &+= step }
                all.controller.observe(center, for: nil) { view, _ in view.sum &+= step }
                let name: MessageName = "name"
                return { passes in
                    for _ in 0..<passes { center.post(name) }
                    return named.view.sum &+ all.view.sum
                }
            },
            .loop("post of a number under a name, 1 observer") {
                let (center, observing, step) = (MessageCenter(), Listening(), opaque(1))
                observing.controller.observe(center, for: "name") { view, message in
                    guard let value = message.userInfo["value"] as? Int else { return }
                    view.sum &+= value &* step
                }
                let name: MessageName = "name"
                return { passes in
                    for pass in 0..<passes { center.post(name, userInfo: ["value": pass]) }
                    return observing.view.sum
                }
            },
            .loop("post of a type, 1 observer") {
                let (center, observing, step) = (MessageCenter(), Listening(), opaque(1))
                observing.controller.observe(center, for: Number.self) { view, message in view.sum &+= message.value &* step }
                return { passes in
                    for pass in 0..<passes { SafeKVOBenchmarks.post(Number(value: pass), center) }
                    return observing.view.sum
                }
            },
            .loop("post, 1 observer of the name and object, 10000 others of theirs") {
                let (center, observing, other, step) = (MessageCenter(), Listening(), Listening(), opaque(1))
                let objects = (0..<10_000).map { _ in ModelView() }
                for object in objects { other.controller.observe(center, for: "name", object: object) { view, _ in view.sum &+= step } }
                observing.controller.observe(center, for: "name", object: observing.view) { view, _ in view.sum &+= step }
                let name: MessageName = "name"
                return { passes in
                    for _ in 0..<passes { center.post(name, object: observing.view) }
                    return observing.view.sum &+ objects.count &+ other.view.sum
                }
            },
            .loop("add + remove, a name") {
                let (center, observing, step) = (MessageCenter(), Listening(), opaque(1))
                let name: MessageName = "name"
                return { passes in
                    for _ in 0..<passes {
                        observing.controller.observe(center, for: name) { view, _ in view.sum &+= step }
                        observing.controller.unobserve(center, for: name)
                    }
                    return observing.view.sum
                }
            },
            .loop("add + remove, a name among 10000") {
                let (center, observing, other, step) = (MessageCenter(), Listening(), Listening(), opaque(1))
                for number in 0..<10_000 { other.controller.observe(center, for: "name \(number)") { view, _ in view.sum &+= step } }
                let name: MessageName = "name"
                return { passes in
                    for _ in 0..<passes {
                        observing.controller.observe(center, for: name) { view, _ in view.sum &+= step }
                        observing.controller.unobserve(center, for: name)
                    }
                    return observing.view.sum &+ other.view.sum
                }
            },
            .once("tear down, each of 10000 observers of 1 name", parts: 10_000) {
                let (center, step) = (MessageCenter(), opaque(1))
                let all = (0..<10_000).map { _ in Listening() }
                for one in all { one.controller.observe(center, for: "name") { view, _ in view.sum &+= step } }
                let controllers = all.map(\.controller)
                return { withExtendedLifetime(all) { controllers.reduce(0) { $0 &+ $1.unobserveAll() } } }
            },
            .once("tear down, each of 10000 observers of 10000 names", parts: 10_000) {
                let (center, observing, step) = (MessageCenter(), Listening(), opaque(1))
                for number in 0..<10_000 { observing.controller.observe(center, for: "name \(number)") { view, _ in view.sum &+= step } }
                return { withExtendedLifetime(center) { observing.controller.unobserveAll() } }
            },
        ]
    }

    private static func posting(_ name: String, observers: Int, of observed: MessageName = "name") -> Benchmark {
        .loop(name, parts: observers) {
            let (center, step) = (MessageCenter(), opaque(1))
            let all = (0..<observers).map { _ in Listening() }
            for one in all { one.controller.observe(center, for: observed) { view, _ in view.sum &+= step } }
            let name: MessageName = "name"
            return { passes in
                for _ in 0..<passes { center.post(name) }
                return all.reduce(0) { $0 &+ $1.view.sum }
            }
        }
    }
}
