import CocoaDouble
import Foundation
@testable import SafeKVO
@testable import SafeKVOFoundation
import SafeKVOTesting
import Testing

/// Handlers elsewhere, and sequences, of objects that another system observes.
@Suite struct ForeignElsewhereTests {
    /// Keeps jobs until they are asked for.
    final class Later: DeliveryTarget, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) `jobs` belongs to `lock`.
        private let lock = NSLock()
        private var jobs: [@Sendable () -> Void] = []

        var isCurrent: Bool { false }

        func enqueue(_ job: @escaping @Sendable () -> Void) { lock.withLock { jobs.append(job) } }

        func run() {
            while let job = lock.withLock({ jobs.isEmpty ? nil : jobs.removeFirst() }) { job() }
        }
    }

    let runtime = CocoaRuntime()
    let listener = ForeignListener()
    let tracker = LifetimeTracker()
    let later = Later()

    func observe(_ object: CocoaObject, _ observations: ObservationController<ForeignListener>) {
        let registration = Registration(HandlerPlace(later), observations.core, [.old, .new], nil, .ignore, #fileID, #line, nil)
        let result = observations.observe(object, of: runtime, ForeignKeyPath("a"), registration) {
            (listener: ForeignListener, object: CocoaObject, change: KeyValueChange<Int>) in
            let present = object.value(forKey: "a") as? Int
            listener.log.append("\(change.oldValue ?? -1) \(change.newValue ?? -1), now \(present ?? -1)")
        }
        #expect(result == .added)
    }

    @Test("Rule 41: changes on their way carry their values, and keep the object", arguments: [true, false])
    func changesOnTheirWayKeepTheObject(retaining: Bool) throws {
        let observations = ObservationController(observer: listener, retainsObserved: retaining)
        do {
            let object = tracker.track(CocoaObject(runtime, ["a": 1]))
            observe(object, observations)
            object.set(2, forKey: "a")
            object.set(3, forKey: "a")
            if retaining { withExtendedLifetime(object) {} }
        }
        #expect(tracker.survivors.count == 1)
        try listener.log.expect([])
        later.run()
        try listener.log.expect(["1 2, now 3", "2 3, now 3"])
        observations.unobserveAll()
        try tracker.expectAllGone()
        #expect(runtime.exceptions == [])
        #expect(runtime.registrations.made == runtime.registrations.ended)
    }

    @Test("Rule 41: what is on its way when a removal returns is not told, and keeps nothing")
    func whatIsOnItsWayWhenARemovalReturnsIsNotTold() throws {
        let observations = ObservationController(observer: listener)
        do {
            let object = tracker.track(CocoaObject(runtime, ["a": 1]))
            observe(object, observations)
            object.set(2, forKey: "a")
        }
        observations.unobserveAll()
        try tracker.expectAllGone()
        later.run()
        try listener.log.expect([])
        #expect(runtime.exceptions == [])
    }

    @Test("Rule 46: a sequence of values begins with the present one and ends with the object")
    func aSequenceEndsWithTheObject() async {
        let observations = ObservationController(observer: listener, retainsObserved: false)
        func make() -> ObservationSequence<Int> {
            let object = CocoaObject(runtime, ["a": 1])
            let values = observations.values(of: object, \.a)
            object.set(2, forKey: "a")
            object.set(3, forKey: "a")
            return values
        }
        var heard: [Int] = []
        for await value in make() { heard.append(value) }
        #expect(heard == [1, 2, 3])
        #expect(runtime.exceptions == [])
        #expect(runtime.registrations.made == runtime.registrations.ended)
    }

    @Test("Rule 46: a sequence of changes ends with the controller")
    func aSequenceOfChangesEndsWithTheController() async {
        let observations = ObservationController(observer: listener)
        let object = CocoaObject(runtime, ["a": 1])
        let changes = observations.changes(of: object, \.a, options: [.old, .new])
        object.set(2, forKey: "a")
        observations.invalidate()
        object.set(3, forKey: "a")
        var heard: [[Int?]] = []
        for await change in changes { heard.append([change.oldValue, change.newValue]) }
        #expect(heard == [[1, 2]])
        #expect(object.registrationCount == 0)
    }

    @Test("Rule 41: the forms of key paths observe what another system announces")
    func theFormsOfKeyPathsObserve() throws {
        let observations = ObservationController(observer: listener)
        let object = CocoaObject(runtime, ["a": 1])
        observations.observe(object, \.a) { listener, value in listener.log.append("\(value)") }
        observations.observe(object, \.a, options: .old, tag: "change") { listener, object, change in
            listener.log.append("\(change.oldValue ?? -1) of \(object.registrationCount)")
        }
        observations.observeEach(object, [\.a], tag: "several") { listener, _, change in listener.log.append("\(change.kind)") }
        object.set(2, forKey: "a")
        try listener.log.expect(["1", "2", "1 of 1", "setting"])
        #expect(observations.unobserve(object, \.a) == 1)
        #expect(observations.unobserve(object, "a", tag: "change") == 1)
        #expect(observations.unobserveEach(object, [\.a], tag: "several") == 1)
        #expect(observations.unobserve(object) == 0)
        #expect(object.registrationCount == 0)
        #expect(runtime.exceptions == [])
    }

    @Test("A key path without a name is read by itself, and can be removed")
    func aKeyPathWithoutANameIsRead() throws {
        let observations = ObservationController(observer: listener)
        let object = CocoaObject(runtime, ["a": 1])
        observations.observe(object, \.a.description) { listener, text in listener.log.append(text) }
        try listener.log.expect(["1"])
        #expect(observations.unobserve(object, \.a.description) == 1)
    }
}
