import Foundation
import SafeKVO
import SafeKVOTesting

/// Two observations of one subject by one controller, and what lets go of everything in a given order.
final class DeathScene: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) where a case has two threads, one waits for the other.

    private let course: DeathCase
    private let tracker: LifetimeTracker
    private var observer: DeathSubject?
    private var controller: ObservationController<DeathSubject>?
    private var subject: DeathSubject?
    private var middle: DeathSubject?
    private var capture: Capture?
    private weak var weakObserver: DeathSubject?
    private weak var weakController: ObservationController<DeathSubject>?
    private weak var weakSubject: DeathSubject?
    private weak var weakMiddle: DeathSubject?
    private weak var weakCapture: Capture?

    private var gone: Set<Party> = []
    private var isInCall = false
    private var hasStruck = false
    private var isEnded = (value: false, path: false)
    private var ends: [String] = []
    private var pathCalls = (expected: 0, heard: 0)
    private(set) var failures: [String] = []

    init(_ course: DeathCase) {
        self.course = course
        tracker = LifetimeTracker()
        let (subject, middle, capture) = (tracker.track(DeathSubject()), tracker.track(DeathSubject()), tracker.track(Capture()))
        let observer = course.ofItself ? subject : tracker.track(DeathSubject())
        let controller = tracker.track(ObservationController(observer: observer, retainsObserved: course.retaining))
        subject.middle = middle
        subject.refusals = { [unowned self] in check($0, "an observation in deinit") }
        (self.observer, self.controller, self.subject, self.middle, self.capture) = (observer, controller, subject, middle, capture)
        (weakObserver, weakController, weakSubject, weakMiddle, weakCapture) = (observer, controller, subject, middle, capture)
    }

    private func check(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { failures.append(message()) }
    }

    // MARK: The case

    /// Plays the case.
    func play() {
        observe()
        if !hasStruck {
            for party in course.order[..<course.before] {
                end(party)
                checkSurvivors(party.rawValue)
            }
            change()
        }
        if course.place == .otherThread { OtherThread.run { self.strikeStepwise() } } else { strikeStepwise() }
        check(Set(ends) == ["value", "path"] && ends.count == 2, "ended \(ends)")
        check(pathCalls.heard == pathCalls.expected, "\(pathCalls.heard) calls of the path instead of \(pathCalls.expected)")
        check(tracker.survivors.isEmpty, "left: \(tracker.survivors)")
    }

    private func observe() {
        guard let capture else { return }
        _ = controller?.observe(
            subject, \.middle?.value, options: [.prior, .new, .old], tag: "tag",
            handler: { [unowned self] observer, subject, _ in
                withExtendedLifetime(capture) {}
                pathCalls.heard += 1
                checkCall(observer, subject, isEnded.path || isControllerGone)
            },
            onTermination: { [unowned self] _ in
                check(!ends.contains("path"), "the path's end was told twice")
                ends.append("path")
            })
        _ = controller?.observe(
            subject, \.value, options: [.initial, .prior, .new, .old], tag: "tag",
            handler: { [unowned self] observer, subject, change in
                withExtendedLifetime(capture) {}
                checkCall(observer, subject, hasStruck || gone.contains(.tag) || isControllerGone)
                if change.isInitial == (course.place == .initialHandler), change.isPrior == (course.place == .priorHandler) {
                    strike(subject)
                }
            },
            onTermination: { [unowned self] _ in
                check(!ends.contains("value"), "the value's end was told twice")
                ends.append("value")
            })
    }

    /// Who calls `observe` keeps the controller to the end of the call.
    private var isControllerGone: Bool { gone.contains(.controller) && !(isInCall && course.place == .initialHandler) }

    private func checkCall(_ observer: DeathSubject, _ subject: DeathSubject, _ isLate: Bool) {
        check(observer.probe.isAlive, "called for a dead observer")
        check(subject.probe.isAlive, "called with a dead subject")
        check(!isLate, "called after the end")
    }

    /// Makes the change whose handlers are the place of the deaths.
    private func change() {
        guard let subject = weakSubject else { return }
        if weakObserver == nil { isEnded.value = true }
        subject.value = 1
    }

    /// Does what remains to be done where the case wants it done, if it is there.
    private func strike(_ subject: DeathSubject) {
        switch course.place {
        case .straight, .otherThread: return
        case .initialHandler, .priorHandler, .handler: strikeAtOnce()
        case .otherThreadDuringHandler: OtherThread.run { self.strikeAtOnce() }
        }
    }

    private func strikeAtOnce() {
        hasStruck = true
        isInCall = true
        for party in course.order[course.before...] { end(party) }
        isInCall = false
    }

    /// What the place did not do, because it was never reached, is done here.
    private func strikeStepwise() {
        for party in course.order where !gone.contains(party) {
            end(party)
            checkSurvivors(party.rawValue)
        }
    }

    private func end(_ party: Party) {
        gone.insert(party)
        switch party {
        case .observer: observer = nil
        case .controller:
            controller = nil
            if !isInCall { isEnded = (true, true) }
        case .subject:
            if course.ofItself { observer = nil }
            subject = nil
            if !isInCall, !course.retaining || course.ofItself { isEnded = (true, true) }
        case .capture: capture = nil
        case .tag:
            if let subject = weakSubject { weakController?.unobserveEach(subject, [\.value, \.middle?.value], tag: "tag") }
            isEnded = (true, true)
        case .middle:
            middle = nil
            guard let subject = weakSubject else { return }
            let isHeard = !isEnded.path && weakObserver != nil && weakController != nil
            if isHeard { pathCalls.expected += 2 }
            if weakObserver == nil { isEnded.path = true }
            subject.middle = nil
        }
    }

    // MARK: What is left

    private func checkSurvivors(_ party: String) {
        let keepsSubject = course.retaining && !course.ofItself && !(isEnded.value && isEnded.path)
        check((weakObserver != nil) == (observer != nil), "after \(party): observer")
        check((weakController != nil) == (controller != nil), "after \(party): controller")
        check((weakSubject != nil) == (subject != nil || keepsSubject), "after \(party): subject")
        let isInPath = weakSubject != nil && !gone.contains(.middle)
        check((weakMiddle != nil) == (middle != nil || isInPath), "after \(party): middle")
        // If the subject has died, the controller keeps the handlers until its next call or its end.
        let mayWait = weakSubject == nil && weakController != nil
        if !mayWait { check((weakCapture != nil) == (capture != nil || !isEnded.value || !isEnded.path), "after \(party): capture") }
        if let subject = weakSubject {
            let records = subject.observationRecords
            check(records.observers == (isEnded.value ? 0 : 1) + (isEnded.path ? 0 : 1), "after \(party): \(records) on the subject")
            check((records.dependencies > 0) == !isEnded.path, "after \(party): \(records) on the subject")
        }
        if let middle = weakMiddle {
            let records = middle.observationRecords
            check(records.observers == 0, "after \(party): \(records) on the middle")
            check((records.dependencies > 0) == (isInPath && !isEnded.path), "after \(party): \(records) on the middle")
        }
    }
}
