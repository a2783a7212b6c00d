import SafeKVO
import SafeKVOTesting
import Testing

/// Who keeps whom, and what follows from whose end, whatever the source.
@Suite struct ContractLifetimeTests {
    let log = EventLog<String>()
    let tracker = LifetimeTracker()

    @Test("Rule 31: a retaining controller keeps the subject until it is removed", arguments: ContractSource.all)
    func aRetainingControllerKeepsTheSubject(source: ContractSource) throws {
        let observer = ContractObserver("a", log)
        weak var subject: (any ContractSubject)?
        func observe() {
            let made = source.makeSubject()
            subject = made
            made.observe(by: observer)
        }
        observe()
        subject?.cause(1)
        try log.expect(["a 1"])
        #expect(subject?.unobserve(by: observer) == 1)
        try log.expect(["a ended: removed"])
        #expect(subject == nil)
    }

    @Test(
        "Rule 31: a retaining controller lets go of the subject however its observations end", arguments: ContractSource.all,
        ["unobserveAll", "invalidate", "observer"])
    func aRetainingControllerLetsGo(source: ContractSource, ending: String) throws {
        var observer: ContractObserver? = ContractObserver("a", log)
        weak var subject: (any ContractSubject)?
        func observe(by observer: ContractObserver) {
            let made = source.makeSubject()
            subject = made
            made.observe(by: observer, tag: "1")
            made.observe(by: observer, tag: "2")
            made.observe(by: observer, tag: "2", ifAlreadyObserved: .replace)
            made.observe(by: observer, tag: "2")
        }
        try observe(by: #require(observer))
        #expect(subject != nil)
        switch ending {
        case "unobserveAll": #expect(observer?.retaining.unobserveAll() == 2)
        case "invalidate": #expect(observer?.retaining.invalidate() == 2)
        default: observer = nil
        }
        #expect(subject == nil)
    }

    @Test("Rules 31 and 32: a controller that does not retain hears of the subject's end", arguments: ContractSource.all)
    func theSubjectMayGoFirst(source: ContractSource) throws {
        let observer = ContractObserver("a", log)
        func observe() {
            let subject = source.makeSubject()
            subject.observe(by: observer, retaining: false)
            subject.cause(1)
        }
        observe()
        try log.expect(["a 1", "a ended: objectDeinitialized"])
        #expect(observer.notRetaining.unobserveAll() == 0)
        try log.expect([])
    }

    @Test("Rule 32: the subject's end ends the observations on every controller", arguments: ContractSource.all)
    func theSubjectsEndEndsEveryObservation(source: ContractSource) throws {
        let observers = ["a", "b", "c"].map { ContractObserver($0, log) }
        var subject: (any ContractSubject)? = source.makeSubject()
        for observer in observers { subject?.observe(by: observer, retaining: false) }
        subject = nil
        #expect(Set(log.events) == ["a ended: objectDeinitialized", "b ended: objectDeinitialized", "c ended: objectDeinitialized"])
        #expect(log.events.count == 3)
        #expect(observers.map { $0.notRetaining.unobserveAll() } == [0, 0, 0])
    }

    @Test("Rule 30: an observer that keeps its controller ends its observations with itself", arguments: ContractSource.all, [true, false])
    func anObserverEndsItsObservations(source: ContractSource, retaining: Bool) throws {
        let subject = source.makeSubject()
        var observer: ContractObserver? = tracker.track(ContractObserver("a", log))
        try subject.observe(by: #require(observer), retaining: retaining)
        subject.cause(1)
        observer = nil
        try tracker.expectAllGone()
        try log.expect(["a 1", "a ended: observerDeinitialized"])
        subject.cause(2)
        try log.expect([])
    }

    @Test(
        "Rule 30: what arrives for an observer that is gone is dropped, once, and counted", arguments: ContractSource.all, [true, false])
    func whatArrivesForADeadObserverIsSwallowed(source: ContractSource, retaining: Bool) throws {
        let subject = source.makeSubject()
        var observer: ContractObserver? = ContractObserver("a", log)
        let observations = try ObservationController(observer: #require(observer), retainsObserved: retaining)
        observe(subject, with: observations)
        subject.cause(1)
        observer = nil
        subject.cause(2)
        subject.cause(3)
        #expect(observations.counters == ObservationCounters(delivered: 1, dropped: 1))
        #expect(observations.unobserveAll() == 0)
        try log.expect(["a 1", "ended: observerDeinitialized"])
    }

    @Test("A controller whose observer is gone refuses", arguments: ContractSource.all)
    func aControllerWithoutObserverRefuses(source: ContractSource) throws {
        let subject = source.makeSubject()
        var observer: ContractObserver? = ContractObserver("a", log)
        let observations = try ObservationController(observer: #require(observer))
        observer = nil
        #expect(observe(subject, with: observations) == .refused(.observerDeinitialized))
        subject.cause(1)
        try log.expect([])
    }

    @Test("The end of a controller ends its observations", arguments: ContractSource.all, [true, false])
    func theEndOfAControllerEndsItsObservations(source: ContractSource, retaining: Bool) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        var observations: ObservationController? = ObservationController(observer: observer, retainsObserved: retaining)
        try observe(subject, with: #require(observations))
        subject.cause(1)
        observations = nil
        subject.cause(2)
        try log.expect(["a 1", "ended: controllerInvalidated"])
    }

    @Test("Rule 31: a subject that observes itself is not retained", arguments: ContractSource.all, [true, false])
    func aSubjectThatObservesItselfIsNotRetained(source: ContractSource, retaining: Bool) throws {
        #expect(source.type.observeItself(retaining: retaining, log, tracker) == 0)
        try tracker.expectAllGone()
        try log.expect(["itself 1", "itself ended: objectDeinitialized"])
    }

    @Test("Rule 33: a handler and its captures are released at removal", arguments: ContractSource.all)
    func capturesAreReleasedAtRemoval(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        func observe() {
            let capture = tracker.track(Capture())
            subject.observe(by: observer) { capture.count += $1 }
        }
        observe()
        subject.cause(1)
        #expect(tracker.survivors.count == 1)
        subject.unobserve(by: observer)
        try tracker.expectAllGone()
    }

    @Test("Rule 33: a handler that is removed by another in one delivery is released there and then", arguments: ContractSource.all)
    func capturesAreReleasedAtRemovalInADelivery(source: ContractSource) throws {
        let subject = source.makeSubject()
        let (a, b) = (ContractObserver("a", log), ContractObserver("b", log))
        let survivors = EventLog<Int>()
        subject.observe(by: a) { [tracker] _, _ in
            survivors.append(tracker.survivors.count)
            subject.unobserve(by: b)
            survivors.append(tracker.survivors.count)
        }
        func observe() {
            let capture = tracker.track(Capture())
            subject.observe(by: b) { capture.count += $1 }
        }
        observe()
        subject.cause(1)
        #expect(survivors.events == [1, 0])
    }

    @Test("Rule 33: a handler that removes itself is released when its call ends", arguments: ContractSource.all)
    func aHandlerThatRemovesItselfIsReleasedAfterItsCall(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        func observe() {
            let capture = tracker.track(Capture())
            subject.observe(by: observer) { observer, number in
                subject.unobserve(by: observer)
                capture.count += number
                log.append("captured \(capture.count)")
            }
        }
        observe()
        subject.cause(1)
        try tracker.expectAllGone()
        try log.expect(["a 1", "captured 1", "a ended: removed"])
    }

    @Test("Rule 33: a handler that was not taken is released at once", arguments: ContractSource.all)
    func aHandlerThatIsNotTakenIsReleased(source: ContractSource) throws {
        let subject = source.makeSubject()
        let observer = ContractObserver("a", log)
        subject.observe(by: observer)
        func observe() -> ObservationResult {
            let capture = tracker.track(Capture())
            return subject.observe(by: observer) { capture.count += $1 }
        }
        #expect(observe() == .alreadyObserved)
        try tracker.expectAllGone()
        observer.retaining.invalidate()
        #expect(observe() == .refused(.controllerInvalidated))
        try tracker.expectAllGone()
    }

    @Test("Rule 35: the subject's last reference may be dropped in a handler", arguments: ContractSource.all, [true, false])
    func theSubjectMayBeReleasedInAHandler(source: ContractSource, retaining: Bool) throws {
        let (a, b) = (ContractObserver("a", log), ContractObserver("b", log))
        weak var weakSubject: (any ContractSubject)?
        let holder = Holder(source.makeSubject())
        weakSubject = holder.object
        holder.object?.observe(by: a, retaining: retaining) { a, _ in
            holder.object = nil
            a.observations(retaining: retaining).unobserveAll()
            b.observations(retaining: retaining).unobserveAll()
        }
        holder.object?.observe(by: b, retaining: retaining)
        holder.object?.cause(1)
        #expect(weakSubject == nil)
        try log.expect(["a 1", "b ended: removed", "a ended: removed"])
    }

    @Test("Rule 33: the observer lives as long as the call, and may be released in it", arguments: ContractSource.all)
    func theObserverMayBeReleasedInItsHandler(source: ContractSource) throws {
        let subject = source.makeSubject()
        let holder = Holder(tracker.track(ContractObserver("a", log)))
        try subject.observe(by: #require(holder.object)) { [tracker, log] _, _ in
            holder.object = nil
            log.append("survivors \(tracker.survivors.count)")
        }
        subject.cause(1)
        try tracker.expectAllGone()
        subject.cause(2)
        try log.expect(["a 1", "survivors 1", "a ended: observerDeinitialized"])
    }

    /// What a handler lets go of.
    private final class Holder<Object>: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread uses it.
        var object: Object?
        init(_ object: Object) { self.object = object }
    }

    private final class Capture: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread uses it.
        var count = 0
    }

    @discardableResult
    private func observe(
        _ subject: some ContractSubject, with observations: ObservationController<ContractObserver>
    ) -> ObservationResult {
        type(of: subject).observe(
            subject, with: observations, tag: nil, ifAlreadyObserved: .ignore,
            handler: { observer, number in observer.log.append("\(observer.name) \(number)") },
            onTermination: { [log] in log.append("ended: \($0)") })
    }
}
