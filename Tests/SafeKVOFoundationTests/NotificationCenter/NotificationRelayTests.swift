import Foundation
import SafeKVO
import SafeKVOFoundation
import Synchronization
import TestSupport
import Testing

/// Rules 43 and 43b: the registrations with Foundation, while several threads add the first observers of names and remove the last ones.
@Suite struct NotificationRelayTests {
    /// Counts how often it hears the notification with one number.
    final class Hearer: Sendable {
        private let awaited = Atomic(0)
        private let count = Atomic(0)

        func hear(_ number: Int?) {
            if number == awaited.load(ordering: .relaxed) { count.wrappingAdd(1, ordering: .relaxed) }
        }

        /// How often it hears a notification that is posted now.
        func hears(_ number: Int, named name: String, from object: Thing, by center: NotificationCenter) -> Int {
            awaited.store(number, ordering: .relaxed)
            count.store(0, ordering: .relaxed)
            center.post(name: Notification.Name(name), object: object, userInfo: ["number": number])
            return count.load(ordering: .relaxed)
        }
    }

    /// What one thread observes, in an order that follows from a seed.
    final class Round: Sendable {
        let hearer = Hearer()
        let observations: SharedObservationController<Hearer>
        let wrong = Atomic(0)

        init() { observations = SharedObservationController(observer: hearer) }

        /// Observes a name and stops, over and over; at the end, observes `last`.
        func run(_ thread: Int, _ seed: UInt64, _ center: ObservableNotificationCenter, _ last: String?) {
            var random = SeededGenerator(seed: seed &+ UInt64(thread))
            let thing = Thing()
            for number in 0..<3000 {
                let name = Int.random(in: 0..<3, using: &random) == 0 ? nil : "a"
                let object = Bool.random(using: &random) ? thing : nil
                observe(name, object, center)
                expect(1, number + thread * 1_000_000, name, thing, center)
                observations.unobserve(center, for: name.map { Notification.Name($0) }, object: object)
                expect(0, number + thread * 1_000_000, name, thing, center)
            }
            observe(last, nil, center)
        }

        private func observe(_ name: String?, _ object: Thing?, _ center: ObservableNotificationCenter) {
            observations.observe(
                center, for: name.map { Notification.Name($0) }, object: object,
                transform: { $0.userInfo?["number"] as? Int }, on: .anyThread { hearer, number in hearer.hear(number) })
        }

        private func expect(_ count: Int, _ number: Int, _ name: String?, _ object: Thing, _ center: ObservableNotificationCenter) {
            let heard = hearer.hears(number, named: name ?? "b", from: object, by: center.center)
            if heard != count { wrong.wrappingAdd(1, ordering: .relaxed) }
        }
    }

    @Test(
        "Rules 43 and 43b: each observer hears each notification once, and the registrations are right in the end",
        arguments: SeededGenerator.seeds)
    func observersOfOneNameComeAndGo(_ seed: UInt64) async {
        let center = ObservableNotificationCenter(NotificationCenter())
        let rounds = await run(seed, center, ["a", "a", "b", nil])
        for round in rounds { #expect(round.wrong.load(ordering: .relaxed) == 0, "seed \(seed)") }
        #expect(center.registered == ["*", "a", "b"], "seed \(seed)")
        for round in rounds { #expect(round.observations.unobserveAll() == 1, "seed \(seed)") }
        #expect(center.registered == [], "seed \(seed)")
    }

    @Test("Rule 43b: when the last observer of every name was removed, Foundation has no registration for every name")
    func noRegistrationForEveryNameIsLeft() async {
        await #expect(processExitsWith: .success) {
            let center = ObservableNotificationCenter(NotificationCenter())
            _ = await NotificationRelayTests().run(1, center, ["a", "b", "b"])
            // Foundation ends the process if anybody is registered for every name.
            center.center.post(LoudMessage(), subject: TypedSubject())
        }
    }

    private func run(_ seed: UInt64, _ center: ObservableNotificationCenter, _ last: [String?]) async -> [Round] {
        let rounds = last.map { _ in Round() }
        await withTaskGroup { group in
            for (thread, round) in rounds.enumerated() {
                group.addTask { await Threads.run { round.run(thread, seed, center, last[thread]) } }
            }
        }
        return rounds
    }
}
