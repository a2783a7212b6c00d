import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Testing

/// Rules 30 to 33: who goes first, in every order.
@Suite struct LifetimeTests {
    /// The three that an observation depends on.
    enum Party: String, CaseIterable, Sendable {
        case observer, subject, controller
    }

    struct Case: Sendable, CustomStringConvertible {
        let order: [Party]
        let retaining: Bool
        let derived: Bool

        var description: String {
            order.map(\.rawValue).joined(separator: ", ") + (retaining ? ", retaining" : ", not retaining") + (derived ? ", derived" : "")
        }

        static let all: [Case] = Party.allCases.flatMap { first in
            Party.allCases.filter { $0 != first }.flatMap { second in
                let third = Party.allCases.filter { $0 != first && $0 != second }
                return [true, false].flatMap { retaining in
                    [true, false].map { Case(order: [first, second] + third, retaining: retaining, derived: $0) }
                }
            }
        }

        /// Why the observation ends.
        var reason: ObservationEndReason {
            for (index, party) in order.enumerated() {
                switch party {
                case .controller: return order[..<index].contains(.observer) ? .observerDeinitialized : .controllerInvalidated
                // A retained subject stays until the controller goes.
                case .subject where !retaining: return .objectDeinitialized
                // Nobody notices until something happens; nothing does.
                default: continue
                }
            }
            return .removed
        }
    }

    let log = EventLog<String>()
    let tracker = LifetimeTracker()

    @Test("Rules 30 to 32: all orders of deaths are harmless", arguments: Case.all)
    func allOrdersOfDeathsAreHarmless(order: Case) throws {
        var observer: Viewer? = tracker.track(Viewer())
        var subject: Lamp? = tracker.track(Lamp())
        var observations: ObservationController? = try tracker.track(
            ObservationController(observer: #require(observer), retainsObserved: order.retaining))
        let capture = tracker.track(Capture())
        func observe() throws {
            let handler: (Viewer, Int) -> Void = { [log] _, brightness in
                capture.value = brightness
                log.append("\(brightness)")
            }
            let onTermination: @Sendable (ObservationEndReason) -> Void = { [log] in log.append("ended: \($0)") }
            try #require(observations).observe(
                subject, order.derived ? \.percent : \.brightness, handler: handler, onTermination: onTermination)
        }
        try observe()
        subject?.brightness = 1
        for party in order.order {
            switch party {
            case .observer: observer = nil
            case .subject: subject = nil
            case .controller: observations = nil
            }
        }
        try log.expect(["0", "1", "ended: \(order.reason)"])
        #expect(tracker.survivors.filter { !$0.hasPrefix("Capture") } == [])
        _ = capture
    }

    @Test("Rule 30: a dead observer's change is dropped, and lets go of everything", arguments: [true, false])
    func aDeadObserverIsNotCalled(retaining: Bool) throws {
        let lamp = Lamp()
        var observer: Viewer? = tracker.track(Viewer())
        let observations = try ObservationController(observer: #require(observer), retainsObserved: retaining)
        func observe() {
            let capture = tracker.track(Capture())
            observations.observe(lamp, \.brightness, options: .new) { _, _, _ in capture.value += 1 }
        }
        observe()
        lamp.brightness = 1
        observer = nil
        #expect(tracker.survivors.count == 1)
        lamp.brightness = 2
        try tracker.expectAllGone()
        #expect(observations.counters == ObservationCounters(delivered: 1, dropped: 1))
    }

    @Test("Rule 30: the first dropped change of a view ends its observations on the main actor")
    @MainActor func oneDroppedChangeEndsThoseOfTheMainActor() throws {
        @MainActor final class View {}
        let lamp = Lamp()
        var observer: View? = tracker.track(View())
        let observations = try ObservationController(observer: #require(observer))
        func observe() {
            let (lamp, capture) = (tracker.track(Lamp()), tracker.track(Capture()))
            observations.observe(lamp, \.brightness, options: .new) { _, _, _ in capture.value += 1 }
        }
        observe()
        observations.observe(lamp, \.brightness, options: .new) { _, _, _ in }
        observer = nil
        #expect(tracker.survivors.count == 2)
        lamp.brightness = 1
        try tracker.expectAllGone()
        #expect(observations.counters == ObservationCounters(dropped: 1))
    }

    @Test("Rule 30: a thread that drops a change does not release what another thread registered without an isolation")
    func aDroppedChangeReleasesNothingOfOtherThreads() throws {
        let (lamp, shared) = (Lamp(), Counter())
        var observer: SharedViewer? = tracker.track(SharedViewer())
        let observations = try ObservationController(observer: #require(observer))
        func observe() {
            let capture = tracker.track(Capture())
            observations.observe(lamp, \.brightness, options: .new) { _, _, _ in capture.value += 1 }
            observations.observe(shared, \.count, on: .anyThread { _, _ in })
        }
        observe()
        observer = nil
        OtherThread.run { shared.count = 1 }
        #expect(tracker.survivors.count == 1)
        #expect(observations.counters == ObservationCounters(delivered: 1, dropped: 1))
        lamp.brightness = 1
        try tracker.expectAllGone()
        #expect(observations.counters == ObservationCounters(delivered: 1, dropped: 2))
    }

    @Test("Rule 31: a subject that observes itself neither leaks nor crashes", arguments: [true, false], [true, false])
    func aSubjectMayObserveItself(retaining: Bool, derived: Bool) throws {
        final class Mirror: KeyValueObject {
            @Observed var value = 0
            var double: Int { value * 2 }
            let log: EventLog<String>
            private(set) lazy var observations = ObservationController(observer: self)
            private(set) lazy var notRetaining = ObservationController(observer: self, retainsObserved: false)

            init(_ log: EventLog<String>) { self.log = log }

            deinit { value = 7 }
        }
        do {
            let mirror = tracker.track(Mirror(log))
            (retaining ? mirror.observations : mirror.notRetaining).observe(mirror, derived ? \.double : \.value) { mirror, value in
                mirror.log.append("\(value)")
            }
            mirror.value = 1
        }
        try tracker.expectAllGone()
        try log.expect(["0", derived ? "2" : "1"])
    }

    @Test("Rule 31: a child may observe its owner without retaining it")
    func aChildMayObserveItsOwner() throws {
        final class Child: Viewer {
            let log: EventLog<String>
            init(_ log: EventLog<String>) { self.log = log }
        }
        final class Owner: KeyValueObject {
            @Observed var value = 0
            var child: Child?
        }
        do {
            let owner = tracker.track(Owner())
            let child = tracker.track(Child(log))
            owner.child = child
            child.notRetaining.observe(owner, \.value) { [log] _, value in log.append("\(value)") }
            owner.value = 1
        }
        try tracker.expectAllGone()
        try log.expect(["0", "1"])
    }

    @Test("Rule 31: two objects may observe each other without retaining", arguments: [true, false])
    func twoObjectsMayObserveEachOther(firstGoesFirst: Bool) throws {
        final class Twin: KeyValueObject, AutomaticObserver {
            let observationSlot = ObservationSlot()
            @Observed var value = 0
            let log: EventLog<String>
            init(_ log: EventLog<String>) { self.log = log }

            func follow(_ other: Twin, _ name: String) {
                nonRetainingObservations.observe(other, \.value, options: .new) { twin, other, change in
                    twin.log.append("\(name) \(change.newValue ?? -1)")
                    if twin.value < other.value { twin.value = other.value }
                }
            }
        }
        var (first, second): (Twin?, Twin?) = (tracker.track(Twin(log)), tracker.track(Twin(log)))
        if let first, let second {
            first.follow(second, "first")
            second.follow(first, "second")
        }
        first?.value = 1
        try log.expect(["second 1", "first 1"])
        if firstGoesFirst { first = nil } else { second = nil }
        #expect(tracker.survivors.count == 1)
        first?.value = 2
        second?.value = 2
        try log.expect([])
        (first, second) = (nil, nil)
        try tracker.expectAllGone()
    }

    @Test("Rule 31: a retained subject of a dead observer goes with the controller, not before")
    func aRetainedSubjectGoesWithTheController() throws {
        var observer: Viewer? = Viewer()
        var observations: ObservationController? = try ObservationController(observer: #require(observer))
        do { observations?.observe(tracker.track(Lamp()), \.brightness) { _, _ in } }
        observer = nil
        #expect(tracker.survivors.count == 1)
        observations = nil
        try tracker.expectAllGone()
    }

    @Test("Rule 14: a nested key path does not keep what it passes", arguments: [true, false])
    func aNestedKeyPathDoesNotKeepWhatItPasses(retaining: Bool) throws {
        let observer = Viewer()
        let lamp = Lamp()
        func observe() {
            let neighbour = tracker.track(Lamp())
            lamp.neighbour = neighbour
            observer.observations(retaining: retaining).observe(lamp, \.neighbour?.brightness, options: .new) { [log] _, _, change in
                log.append("\(change.newValue.flatMap { $0 } ?? -1)")
            }
            neighbour.brightness = 1
        }
        observe()
        lamp.neighbour = nil
        try tracker.expectAllGone()
        try log.expect(["1", "-1"])
    }

    @Test("Rule 33: captures are released at removal, not with the controller", arguments: [true, false])
    func capturesAreReleasedAtRemoval(inAHandler: Bool) throws {
        let lamp = Lamp()
        let (a, b) = (Viewer(), Viewer())
        func observe() {
            let capture = tracker.track(Capture())
            b.observations.observe(lamp, \.brightness, options: .new) { _, _, _ in capture.value += 1 }
        }
        if inAHandler {
            a.observations.observe(lamp, \.brightness, options: .new) { [tracker, log] _, lamp, _ in
                b.observations.unobserve(lamp)
                log.append("survivors \(tracker.survivors.count)")
            }
        }
        observe()
        #expect(tracker.survivors.count == 1)
        if inAHandler { lamp.brightness = 1 } else { b.observations.unobserve(lamp, \.brightness) }
        try tracker.expectAllGone()
        try log.expect(inAHandler ? ["survivors 0"] : [])
    }

    @Test("Rule 33: a handler removed by one nested in it is released when the outer call ends")
    func aHandlerThatIsRunningIsReleasedAfterwards() throws {
        let lamp = Lamp()
        let observer = Viewer()
        func observe() {
            let capture = tracker.track(Capture())
            observer.observations.observe(lamp, \.brightness, options: .new) { [tracker, log] observer, lamp, change in
                if change.newValue == 1 { lamp.brightness = 2 } else { observer.observations.unobserveAll() }
                log.append("\(capture.value), survivors \(tracker.survivors.count)")
                capture.value += 1
            }
        }
        observe()
        lamp.brightness = 1
        try log.expect(["0, survivors 1", "1, survivors 1"])
        try tracker.expectAllGone()
    }

    @Test("Rule 9: an observation that a handler removes gets no event, also if the delivery to two lists has found it before")
    @MainActor func anObservationThatIsRemovedBeforeItsTurnGetsNoEvent() throws {
        let (center, remover, removed) = (MessageCenter(), SharedViewer(), Shared<SharedViewer?>(SharedViewer()))
        let observations = try ObservationController(observer: #require(removed.current))
        let removing = ObservationController(observer: remover)
        removing.observe(center, for: "wake") { [log] _, _ in
            log.append("remover")
            observations.unobserve(center)
            _ = removed.exchange(nil)
        }
        // Observers without a name are in a list of their own.
        observations.observe(center, for: nil) { [log] _, _ in log.append("removed") }
        center.post("wake")
        try log.expect(["remover"])
        // An event for the removed observation would be counted as dropped, because the observer is gone.
        #expect(observations.counters == ObservationCounters())
        #expect(removed.current == nil)
    }

    @Test("Rules 9 and 11: an observer that is removed while its handler runs and a nested change is on its way to it is not called again")
    func aRunningObserverThatIsRemovedIsNotCalledAgain() throws {
        let lamp = Lamp()
        let (remover, removed) = (Viewer(), Viewer())
        remover.observations.observe(lamp, \.brightness, options: .new) { [log] remover, lamp, change in
            log.append("remover \(change.newValue ?? -1)")
            guard change.newValue == 2 else { return }
            // The delivery stands here, and what comes next is what came next.
            remover.observations.unobserve(lamp)
            removed.observations.unobserve(lamp)
        }
        removed.observations.observe(lamp, \.brightness, options: .new) { [log] _, lamp, change in
            log.append("removed \(change.newValue ?? -1)")
            if change.newValue == 1 { lamp.brightness = 2 }
        }
        lamp.brightness = 1
        try log.expect(["remover 1", "removed 1", "remover 2"])
        #expect(removed.observations.counters == ObservationCounters(delivered: 1))
    }
}
