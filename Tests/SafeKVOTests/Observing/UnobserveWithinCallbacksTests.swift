import SafeKVO
import SafeKVOTesting
import Testing

/// Rules 9, 33 and 35: whatever a handler removes or lets go of, nothing breaks.
@Suite struct UnobserveWithinCallbacksTests {
    final class Reader {
        let name: String
        private(set) lazy var observations = ObservationController(observer: self)

        init(_ name: String = "a") {
            self.name = name
        }
    }

    let thermostat = Thermostat()
    let log = EventLog<String>()
    let tracker = LifetimeTracker()

    private func end(_ name: String = "a") -> @Sendable (ObservationEndReason) -> Void {
        { [log] in log.append("\(name) ended: \($0)") }
    }

    @Test("An observation can be removed in its initial call")
    func anObservationCanBeRemovedInItsInitialCall() throws {
        let reader = Reader()
        let result = reader.observations.observe(
            thermostat, \.degrees,
            handler: { [thermostat, log] reader, degrees in
                log.append("a \(degrees)")
                #expect(reader.observations.unobserve(thermostat, \.degrees) == 1)
                thermostat.degrees += 1
                log.append("a goes on")
            }, onTermination: end())
        #expect(result == .added)
        thermostat.degrees = 7
        try log.expect(["a 0", "a goes on", "a ended: removed"])
        #expect(reader.observations.unobserveAll() == 0)
    }

    @Test("Rule 38: a change in the initial call is delivered after it, before observe returns")
    func aChangeInTheInitialCallIsDeliveredAfterIt() throws {
        let reader = Reader()
        reader.observations.observe(
            thermostat, \.degrees,
            handler: { [thermostat, log] _, degrees in
                log.append("a \(degrees)")
                if degrees < 2 { thermostat.degrees += 1 }
                log.append("a \(degrees) ends")
            })
        log.append("observing")
        try log.expect(["a 0", "a 0 ends", "a 1", "a 1 ends", "a 2", "a 2 ends", "observing"])
    }

    @Test("A change waiting for the end of the initial call is not delivered if the observation is removed there")
    func aWaitingChangeIsNotDeliveredAfterRemoval() throws {
        let reader = Reader()
        reader.observations.observe(
            thermostat, \.degrees,
            handler: { [thermostat, log] reader, degrees in
                log.append("a \(degrees)")
                thermostat.degrees += 1
                reader.observations.unobserveAll()
            }, onTermination: end())
        try log.expect(["a 0", "a ended: removed"])
    }

    @Test("An observation can be replaced in its initial call")
    func anObservationCanBeReplacedInItsInitialCall() throws {
        let reader = Reader()
        let result = reader.observations.observe(
            thermostat, \.degrees,
            handler: { [thermostat, log] reader, degrees in
                log.append("first \(degrees)")
                let result = reader.observations.observe(thermostat, \.degrees, ifAlreadyObserved: .replace) { _, degrees in
                    log.append("second \(degrees)")
                }
                #expect(result == .replaced)
            }, onTermination: end("first"))
        #expect(result == .added)
        thermostat.degrees = 1
        try log.expect(["first 0", "second 0", "first ended: replaced", "second 1"])
        #expect(reader.observations.unobserveAll() == 1)
    }

    @Test("A controller can be invalidated in an initial call")
    func aControllerCanBeInvalidatedInAnInitialCall() throws {
        let reader = Reader()
        let result = reader.observations.observe(
            thermostat, \.degrees,
            handler: { [log] reader, degrees in
                log.append("a \(degrees)")
                reader.observations.invalidate()
            }, onTermination: end())
        #expect(result == .added)
        thermostat.degrees = 1
        try log.expect(["a 0", "a ended: controllerInvalidated"])
        #expect(reader.observations.observe(thermostat, \.degrees) { _, _ in } == .refused(.controllerInvalidated))
    }

    @Test(
        "An observation can be removed in its own call",
        arguments: ["key path", "key paths", "object", "all", "invalidate"])
    func anObservationCanBeRemovedInItsOwnCall(way: String) throws {
        let reader = Reader()
        reader.observations.observe(
            thermostat, \.degrees, options: [.prior, .new, .old],
            handler: { [log] reader, thermostat, change in
                log.append("a \(describe(change))")
                guard !change.isPrior else { return }
                let removed =
                    switch way {
                    case "key path": reader.observations.unobserve(thermostat, \.degrees)
                    case "key paths": reader.observations.unobserveEach(thermostat, [\.room, \.degrees])
                    case "object": reader.observations.unobserve(thermostat)
                    case "all": reader.observations.unobserveAll()
                    default: reader.observations.invalidate()
                    }
                log.append("removed \(removed)")
            }, onTermination: end())
        thermostat.degrees = 1
        thermostat.degrees = 2
        let reason = way == "invalidate" ? ObservationEndReason.controllerInvalidated : .removed
        try log.expect(["a prior old 0", "a change new 1 old 0", "removed 1", "a ended: \(reason)"])
    }

    @Test("Rule 9: an observation that is removed in its prior call gets no after")
    func anObservationRemovedInItsPriorCallGetsNoAfter() throws {
        let (a, b) = (Reader(), Reader("b"))
        a.observations.observe(
            thermostat, \.degrees, options: [.prior, .new],
            handler: { [log] reader, thermostat, change in
                log.append("a \(describe(change))")
                reader.observations.unobserve(thermostat)
            }, onTermination: end())
        b.observations.observe(thermostat, \.degrees, options: [.prior, .new]) { [log] _, _, change in
            log.append("b \(describe(change))")
        }
        thermostat.degrees = 1
        try log.expect(["a prior", "a ended: removed", "b prior", "b change new 1"])
    }

    @Test("Rule 9: an observer that another removes in the prior phase gets neither call")
    func anObserverRemovedByAnotherInThePriorPhaseGetsNeitherCall() throws {
        let (a, b) = (Reader(), Reader("b"))
        a.observations.observe(thermostat, \.degrees, options: [.prior, .new]) { [log] _, thermostat, change in
            log.append("a \(describe(change))")
            b.observations.unobserve(thermostat)
        }
        b.observations.observe(
            thermostat, \.degrees, options: [.prior, .new], handler: { [log] _, _, change in log.append("b \(describe(change))") },
            onTermination: end("b"))
        thermostat.degrees = 1
        try log.expect(["a prior", "b ended: removed", "a change new 1"])
    }

    @Test("A controller can die in its own call", arguments: [false, true])
    func aControllerCanDieInItsOwnCall(inInitialCall: Bool) throws {
        let reader = Reader()
        var observations: ObservationController<Reader>? = ObservationController(observer: reader)
        let options: KeyValueObservingOptions = inInitialCall ? [.initial, .new] : .new
        try tracked(#require(observations)).observe(
            thermostat, \.degrees, options: options,
            handler: { [log] reader, _, change in
                log.append("\(reader.name) \(describe(change))")
                observations = nil
                log.append("a goes on")
            }, onTermination: end())
        // The initial call runs inside a method of the controller, which keeps it until that returns.
        thermostat.degrees = 1
        try tracker.expectAllGone()
        thermostat.degrees = 2
        if inInitialCall {
            try log.expect(["a initial new 0", "a goes on", "a ended: controllerInvalidated"])
        } else {
            try log.expect(["a change new 1", "a goes on", "a ended: controllerInvalidated"])
        }
    }

    private func tracked<Object: AnyObject>(_ object: Object) -> Object { tracker.track(object) }

    @Test("A controller of another observer can die in a call, and that observer is not called later in it")
    func anotherControllerCanDieInACall() throws {
        let (a, b) = (Reader(), Reader("b"))
        var other: ObservationController<Reader>? = ObservationController(observer: b)
        a.observations.observe(thermostat, \.degrees, options: .new) { [log] _, _, change in
            log.append("a \(describe(change))")
            other = nil
        }
        try #require(other).observe(
            thermostat, \.degrees, options: .new, handler: { [log] _, _, change in log.append("b \(describe(change))") },
            onTermination: end("b"))
        thermostat.degrees = 1
        try log.expect(["a change new 1", "b ended: controllerInvalidated"])
    }

    @Test("Rule 33: an observer released in its own call lives to the end of it", arguments: [false, true])
    func anObserverCanBeReleasedInItsCall(inInitialCall: Bool) throws {
        var reader: Reader? = tracker.track(Reader())
        let options: KeyValueObservingOptions = inInitialCall ? [.initial, .new] : .new
        try #require(reader).observations.observe(
            thermostat, \.degrees, options: options,
            handler: { [log, tracker] observer, _, change in
                reader = nil
                log.append("\(observer.name) \(describe(change)), survivors \(tracker.survivors.count)")
            }, onTermination: end())
        thermostat.degrees = 1
        try tracker.expectAllGone()
        thermostat.degrees = 2
        try log.expect([inInitialCall ? "a initial new 0, survivors 1" : "a change new 1, survivors 1", "a ended: observerDeinitialized"])
    }

    @Test("Rule 30: an observer released by another one in a delivery is not called later in it")
    func anObserverReleasedByAnotherIsNotCalled() throws {
        let a = Reader()
        var b: Reader? = tracker.track(Reader("b"))
        a.observations.observe(thermostat, \.degrees, options: .new) { [log] _, _, change in
            log.append("a \(describe(change))")
            b = nil
        }
        try #require(b).observations.observe(
            thermostat, \.degrees, options: .new, handler: { [log] _, _, change in log.append("b \(describe(change))") },
            onTermination: end("b"))
        thermostat.degrees = 1
        try tracker.expectAllGone()
        try log.expect(["a change new 1", "b ended: observerDeinitialized"])
    }

    @Test("onTermination may observe again, and may remove")
    func onEndMayUseTheController() throws {
        final class Model: @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) the test has one thread.
            let thermostat = Thermostat()
            let reader = Reader()
        }
        let model = Model()
        model.reader.observations.observe(
            model.thermostat, \.degrees, handler: { [log] (_, degrees: Int) in log.append("first \(degrees)") },
            onTermination: { [log, weak model] reason in
                log.append("ended: \(reason)")
                guard let model else { return }
                model.reader.observations.observe(model.thermostat, \.degrees) { _, degrees in log.append("second \(degrees)") }
                log.append("removed \(model.reader.observations.unobserve(model.thermostat, \.room))")
            })
        #expect(model.reader.observations.unobserve(model.thermostat) == 1)
        model.thermostat.degrees = 1
        try log.expect(["first 0", "ended: removed", "second 0", "removed 0", "second 1"])
    }
}
