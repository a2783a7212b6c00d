import SafeKVO
import SafeKVOTesting
import Testing

/// Rules 32 and 35: what is done while something is being destroyed.
@Suite struct DeinitTests {
    let log = EventLog<String>()
    let tracker = LifetimeTracker()

    /// Does something in its `deinit`.
    final class DyingObserver: Viewer {
        var atTheEnd: (DyingObserver) -> Void = { _ in }

        deinit { atTheEnd(self) }
    }

    /// Does something in its `deinit`.
    final class DyingLamp: KeyValueObject {
        @Observed var brightness = 0
        var double: Int { brightness * 2 }
        var atTheEnd: (DyingLamp) -> Void = { _ in }

        deinit { atTheEnd(self) }
    }

    @Test("Rule 35: a controller that is made in the observer's deinit refuses")
    func aControllerMadeInDeinitRefuses() throws {
        let lamp = Lamp()
        do {
            let observer = tracker.track(DyingObserver())
            observer.atTheEnd = { [log] observer in
                let observations = ObservationController(observer: observer)
                log.append("\(observations.observe(lamp, \.brightness) { _, _ in } == .refused(.observerDeinitialized))")
                log.append("\(observations.observer == nil)")
                log.append("\(observations.unobserve(lamp))")
            }
        }
        try tracker.expectAllGone()
        try log.expect(["true", "true", "0"])
    }

    @Test("Rule 35: a controller may be used in the observer's deinit")
    func aControllerMayBeUsedInDeinit() throws {
        let lamp = Lamp()
        do {
            let observer = tracker.track(DyingObserver())
            observer.observations.observe(lamp, \.brightness, options: .new) { [log] _, _, _ in log.append("called") }
            observer.observations.observe(lamp, \.colour) { [log] _, colour in log.append(colour) }
            observer.atTheEnd = { [log] observer in
                lamp.brightness = 1
                log.append("\(observer.observations.observe(lamp, \.percent) { _, _ in } == .refused(.observerDeinitialized))")
                log.append("removed \(observer.observations.unobserve(lamp, \.colour))")
                log.append("dropped \(observer.observations.counters.dropped)")
                log.append("removed \(observer.observations.unobserveAll())")
                lamp.brightness = 2
            }
        }
        try tracker.expectAllGone()
        try log.expect(["white", "true", "removed 1", "dropped 1", "removed 0"])
    }

    @Test("Rule 35: an object in its deinit is refused", arguments: [true, false])
    func anObjectInItsDeinitIsRefused(retaining: Bool) throws {
        let observer = Viewer()
        do {
            let lamp = tracker.track(DyingLamp())
            lamp.atTheEnd = { [log] lamp in
                let observations = observer.observations(retaining: retaining)
                log.append("\(observations.observe(lamp, \.brightness) { _, _ in } == .refused(.objectDeinitialized))")
                log.append("\(observations.observe(lamp, \.double) { _, _ in } == .refused(.objectDeinitialized))")
                log.append("removed \(observations.unobserve(lamp, \.brightness)) \(observations.unobserve(lamp))")
            }
        }
        try tracker.expectAllGone()
        try log.expect(["true", "true", "removed 0 0"])
    }

    @Test("Rule 32: a property that is set in its object's deinit notifies nobody", arguments: [true, false])
    func aPropertySetInDeinitNotifiesNobody(derived: Bool) throws {
        let observer = Viewer()
        do {
            let lamp = tracker.track(DyingLamp())
            observer.notRetaining.observe(
                lamp, derived ? \.double : \.brightness, options: [.initial, .new, .old, .prior],
                handler: { [log] _, _, change in log.append("\(change.newValue ?? -1)") },
                onTermination: { [log] in log.append("ended: \($0)") })
            lamp.atTheEnd = { lamp in
                lamp.brightness = 1
                lamp.brightness += 1
                lamp.brightness.negate()
            }
        }
        try tracker.expectAllGone()
        try log.expect(["0", "ended: objectDeinitialized"])
        #expect(observer.notRetaining.counters == ObservationCounters(delivered: 1))
    }

    @Test("Rule 32: a property that is set in deinit after the last observer has gone notifies nobody")
    func aPropertySetInDeinitAfterRemovalNotifiesNobody() throws {
        let observer = Viewer()
        do {
            let lamp = tracker.track(DyingLamp())
            observer.observations.observe(lamp, \.brightness, options: .new) { [log] _, _, _ in log.append("called") }
            lamp.atTheEnd = { $0.brightness = 1 }
            observer.observations.unobserve(lamp)
        }
        try tracker.expectAllGone()
        try log.expect([])
    }

    @Test("Rule 35: removing in the subject's deinit is safe")
    func removingInTheSubjectsDeinitIsSafe() throws {
        let observer = Viewer()
        do {
            let lamp = tracker.track(DyingLamp())
            for (tag, path) in [("a", \DyingLamp.brightness), ("b", \DyingLamp.double)] {
                observer.notRetaining.observe(
                    lamp, path, options: [.new, .old], tag: ObservationTag(tag), handler: { _, _, _ in },
                    onTermination: { [log] in log.append("\(tag) ended: \($0)") })
            }
            lamp.atTheEnd = { [log] lamp in
                log.append("removed \(observer.notRetaining.unobserve(lamp, \.double, tag: "b"))")
                log.append("removed \(observer.notRetaining.unobserve(lamp))")
            }
        }
        try tracker.expectAllGone()
        try log.expect(["b ended: removed", "removed 1", "a ended: removed", "removed 1"])
    }

    @Test("Rule 35: the last reference to the subject may be dropped in a handler", arguments: [true, false], [true, false])
    func theSubjectMayBeReleasedInAHandler(retaining: Bool, inInitialCall: Bool) throws {
        let observer = Viewer()
        var lamp: Lamp? = tracker.track(Lamp())
        observer.observations(retaining: retaining).observe(
            lamp, \.brightness, options: inInitialCall ? [.initial, .new] : .new,
            handler: { [log] observer, object, change in
                lamp = nil
                observer.observations(retaining: retaining).unobserveAll()
                log.append("\(object.brightness) \(change.newValue ?? -1)")
            }, onTermination: { [log] in log.append("ended: \($0)") })
        lamp?.brightness = 1
        try tracker.expectAllGone()
        try log.expect([inInitialCall ? "0 0" : "1 1", "ended: removed"])
    }

    @Test("Rule 32: a subject that is released in a handler lives to the end of the delivery", arguments: [true, false], [true, false])
    func theSubjectLivesToTheEndOfTheDelivery(derived: Bool, prior: Bool) throws {
        let (a, b) = (Viewer(), Viewer())
        var lamp: Lamp? = tracker.track(Lamp())
        for (name, viewer) in [("a", a), ("b", b)] {
            viewer.notRetaining.observe(
                lamp, derived ? \.percent : \.brightness, options: prior ? [.prior, .new] : .new,
                handler: { [log] _, object, change in
                    lamp = nil
                    log.append("\(name) \(change.isPrior ? "prior" : "after") \(object.brightness)")
                }, onTermination: { [log] in log.append("\(name) ended: \($0)") })
        }
        lamp?.brightness = 1
        try tracker.expectAllGone()
        let calls = (prior ? ["a prior 0", "b prior 0"] : []) + ["a after 1", "b after 1"]
        let history = log.removeAll()
        #expect(Array(history.dropLast(2)) == calls)
        #expect(Set(history.suffix(2)) == ["a ended: objectDeinitialized", "b ended: objectDeinitialized"])
    }

    @Test("Rule 35: the last reference to the observer may be dropped in a handler", arguments: [true, false], [true, false])
    func theObserverMayBeReleasedInAHandler(retaining: Bool, inInitialCall: Bool) throws {
        let lamp = Lamp()
        var observer: Viewer? = tracker.track(Viewer())
        try #require(observer).observations(retaining: retaining).observe(
            lamp, \.brightness, options: inInitialCall ? [.initial, .new] : .new,
            handler: { [log, tracker] _, _, _ in
                observer = nil
                log.append("survivors \(tracker.survivors.count)")
            }, onTermination: { [log] in log.append("ended: \($0)") })
        lamp.brightness = 1
        try tracker.expectAllGone()
        try log.expect(["survivors 1", "ended: observerDeinitialized"])
    }

    @Test("Rule 35: observer and subject may go in one handler")
    func observerAndSubjectMayGoInOneHandler() throws {
        var lamp: Lamp? = tracker.track(Lamp())
        var observer: Viewer? = tracker.track(Viewer())
        try #require(observer).notRetaining.observe(
            lamp, \.brightness, options: .new,
            handler: { [log] _, _, _ in
                observer = nil
                lamp = nil
                log.append("called")
            })
        lamp?.brightness = 1
        try tracker.expectAllGone()
        try log.expect(["called"])
    }

    @Test("Rule 49: onTermination of a subject's end is called while the subject is gone for everybody else")
    func onEndNeverSeesTheDyingSubject() throws {
        let observer = Viewer()
        var lamp: Lamp? = Lamp()
        let seen = WeakLamp(lamp)
        observer.notRetaining.observe(
            lamp, \.brightness, options: .new, handler: { _, _, _ in },
            onTermination: { [log] in log.append("\($0), \(seen.lamp == nil ? "gone" : "there")") })
        lamp = nil
        try log.expect(["objectDeinitialized, gone"])
    }

    private final class WeakLamp: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the test has one thread.
        weak var lamp: Lamp?
        init(_ lamp: Lamp?) { self.lamp = lamp }
    }
}
