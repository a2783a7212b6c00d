import Foundation
import Testing

@testable import SafeKVO
@testable import SafeKVOFoundation

/// A plan that may be changed within an expectation.
private final class PlanBox {
    private var plan = RelayPlan<Int>()
    func add(_ name: Notification.Name?) -> RelayPlan<Int>.Request? { plan.add(name) }
    func remove(_ name: Notification.Name?) -> [Int] { plan.remove(name) }
    func end() -> [Int] { plan.end() }
    func noteArrival() { plan.noteArrival() }
    func register(_ token: Int, for request: RelayPlan<Int>.Request, serial: UInt64) -> RelayPlan<Int>.Outcome {
        plan.register(token, for: request, serial: serial)
    }
    func audience(
        of request: RelayPlan<Int>.Request, for name: Notification.Name, serial: UInt64, thread: UInt, callsNameFirst: Bool
    ) -> TopicAudience? {
        plan.audience(of: request, for: name, serial: serial, thread: thread, callsNameFirst: callsNameFirst)
    }
    func didServe(_ request: RelayPlan<Int>.Request, _ name: Notification.Name, serial: UInt64, thread: UInt) {
        plan.didServe(request, name, serial: serial, thread: thread)
    }
}

/// Which registration with Foundation serves whom, worked out without Foundation.
@Suite struct RelayPlanTests {
    let a = Notification.Name("a")
    let b = Notification.Name("b")

    private func request(_ plan: PlanBox, _ name: Notification.Name?) throws -> RelayPlan<Int>.Request {
        let request = plan.add(name)
        return try #require(request)
    }

    @Test("Foundation is asked for a name once, and no longer than somebody needs it")
    func aNameIsAskedForOnce() throws {
        let plan = PlanBox()
        let request = try request(plan, a)
        #expect(request.name == a)
        #expect(plan.register(1, for: request, serial: 0).isCurrent)
        #expect(plan.add(a) == nil)
        #expect(plan.audience(of: request, for: a, serial: 0, thread: 1, callsNameFirst: false) == .everybody)
        #expect(plan.remove(a) == [])
        #expect(plan.remove(a) == [1])
        #expect(plan.audience(of: request, for: a, serial: 0, thread: 1, callsNameFirst: false) == nil)
        #expect(plan.remove(a) == [])
    }

    @Test("Of two threads that register a name, the later removes its token, and that token relays nothing")
    func oneOfTwoRegistrationsStays() throws {
        let plan = PlanBox()
        let (one, other) = (plan.add(a), plan.add(a))
        let (first, second) = (try #require(one), try #require(other))
        #expect(plan.register(2, for: second, serial: 0).isCurrent)
        #expect(!plan.register(1, for: first, serial: 0).isCurrent)
        #expect(plan.remove(a) == [])
        #expect(plan.remove(a) == [2])
    }

    @Test("A registration that comes when nobody needs it any more is removed, also if somebody needs the name anew")
    func aLateRegistrationIsRemoved() throws {
        let plan = PlanBox()
        let late = try request(plan, a)
        #expect(plan.remove(a) == [])
        #expect(!plan.register(1, for: late, serial: 0).isCurrent)
        _ = plan.add(a)
        #expect(!plan.register(3, for: late, serial: 0).isCurrent)
    }

    @Test("A name that was observed first serves all, and stays as long as every name is observed")
    func aNameThatWasFirstServesAll() throws {
        let plan = PlanBox()
        let named = try request(plan, a)
        _ = plan.register(1, for: named, serial: 1)
        let every = try request(plan, nil)
        _ = plan.register(2, for: every, serial: 2)
        #expect(plan.audience(of: named, for: a, serial: 2, thread: 1, callsNameFirst: false) == .everybody)
        #expect(plan.audience(of: every, for: a, serial: 2, thread: 1, callsNameFirst: false) == nil)
        #expect(plan.audience(of: every, for: b, serial: 2, thread: 1, callsNameFirst: false) == .everyName(upTo: 2, present: 2))
        #expect(plan.remove(a) == [])
        #expect(Set(plan.remove(nil)) == [1, 2])
    }

    @Test("A name that was observed later serves its own observers and those of every name that come after it")
    func aNameThatCameLaterServesItsOwn() throws {
        let plan = PlanBox()
        let every = try request(plan, nil)
        _ = plan.register(2, for: every, serial: 0)
        plan.noteArrival()
        let named = try request(plan, a)
        _ = plan.register(1, for: named, serial: 1)
        #expect(plan.audience(of: named, for: a, serial: 5, thread: 1, callsNameFirst: false) == .named(andEveryNameAfter: 1, present: 5))
        #expect(plan.audience(of: every, for: a, serial: 5, thread: 1, callsNameFirst: false) == .everyName(upTo: 1, present: 5))
        // Nobody has come since who relies on it.
        #expect(plan.remove(a) == [1])
        let again = try request(plan, a)
        _ = plan.register(3, for: again, serial: 6)
        plan.noteArrival()
        #expect(plan.remove(a) == [])
        #expect(plan.audience(of: again, for: a, serial: 6, thread: 1, callsNameFirst: false) == .named(andEveryNameAfter: 6, present: 6))
        #expect(Set(plan.remove(nil)) == [2, 3])
    }

    @Test("The second half of a notification is for those who were there at the first half, on the same thread")
    func theSecondHalfIsForThoseOfTheFirst() throws {
        let plan = PlanBox()
        let every = try request(plan, nil)
        _ = plan.register(2, for: every, serial: 0)
        let named = try request(plan, a)
        _ = plan.register(1, for: named, serial: 1)
        plan.didServe(every, a, serial: 5, thread: 1)
        plan.didServe(every, b, serial: 5, thread: 2)
        #expect(plan.audience(of: named, for: a, serial: 9, thread: 2, callsNameFirst: false) == .named(andEveryNameAfter: 1, present: 9))
        #expect(plan.audience(of: named, for: a, serial: 9, thread: 1, callsNameFirst: false) == .named(andEveryNameAfter: 1, present: 5))
        #expect(plan.audience(of: named, for: a, serial: 9, thread: 1, callsNameFirst: false) == .named(andEveryNameAfter: 1, present: 9))
    }

    @Test("Where Foundation calls the name first, its registration serves all, and the other nobody, if the name was called")
    func theNameMayBeCalledFirst() throws {
        let plan = PlanBox()
        let every = try request(plan, nil)
        _ = plan.register(2, for: every, serial: 0)
        let named = try request(plan, a)
        _ = plan.register(1, for: named, serial: 1)
        func audience(_ request: RelayPlan<Int>.Request, _ thread: UInt) -> TopicAudience? {
            plan.audience(of: request, for: a, serial: 9, thread: thread, callsNameFirst: true)
        }
        // A post that began before the name was registered.
        #expect(audience(every, 1) == .everyName(upTo: 1, present: 9))
        // One post within another.
        #expect(audience(named, 1) == .everybody)
        #expect(audience(named, 1) == .everybody)
        #expect(audience(every, 2) == .everyName(upTo: 1, present: 9))
        #expect(audience(every, 1) == nil)
        #expect(plan.remove(a) == [])
        #expect(audience(every, 1) == nil)
        #expect(audience(every, 1) == .everyName(upTo: 1, present: 9))
    }

    @Test("A registration that was requested before every name was registered, and comes after it, is requested again")
    func itIsCertainWhichWasFirst() throws {
        let plan = PlanBox()
        let (named, every) = (try request(plan, a), try request(plan, nil))
        _ = plan.register(1, for: every, serial: 0)
        let outcome = plan.register(2, for: named, serial: 1)
        guard case .outdated(let next) = outcome else { throw Unexpected() }
        #expect(plan.register(3, for: next, serial: 1).isCurrent)
        #expect(Set(plan.end()) == [1, 3])
    }

    struct Unexpected: Error {}

    @Test("The end hands out each token once")
    func theEndHandsOutEachTokenOnce() throws {
        let plan = PlanBox()
        for (number, name) in [a, b, nil].enumerated() { _ = plan.register(number, for: try request(plan, name), serial: 0) }
        let late = try request(plan, Notification.Name("c"))
        #expect(plan.end().sorted() == [0, 1, 2])
        #expect(plan.end() == [] && plan.remove(a) == [])
        #expect(!plan.register(9, for: late, serial: 0).isCurrent)
        #expect(plan.add(b) == nil)
    }

    @Test(
        "Whatever threads do between whatever steps, each observer hears each notification once, in order of registration",
        arguments: 0..<40 as Range<UInt64>)
    func eachObserverHearsEachNotificationOnce(_ seed: UInt64) throws {
        for round in 0..<100 as Range<UInt64> {
            var simulation = RelaySimulation(seed: seed * 1000 + round)
            #expect(simulation.run() == [])
        }
    }
}

extension RelayPlan.Outcome {
    var isCurrent: Bool { if case .current = self { true } else { false } }
}
