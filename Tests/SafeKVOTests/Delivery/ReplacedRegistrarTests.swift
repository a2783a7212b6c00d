@testable import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// A registrar that is replaced or moved ends the observations, and breaks nothing that is under way.
@Suite struct ReplacedRegistrarTests {
    class Model: KeyValueObservable, ObservationSource, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) each test uses its objects on one thread at a time.
        var keyValueRegistrar = KeyValueRegistrar()
        var eventRegistrar = EventRegistrar<Int>()
        @Observed var n = 0
        @Observed var child: Model?
        @Observed var part = Part()
        @Observed var items: [Int] = []
        @AtomicObserved var atomic = 0
        @WeakObserved var weak: Part?
        var whenRead: () -> Void = {}
        var sum: Int {
            whenRead()
            return n + items.count
        }
        var family: Int { sum + (child?.sum ?? 0) }

        private var isForgetting = false

        /// Replaces both registrars, and uses the memory of what they released.
        func forgetObservers() {
            // What ends meanwhile must not do it again, because Swift allows no change of a property during a change of it.
            if isForgetting { return }
            isForgetting = true
            defer { isForgetting = false }
            keyValueRegistrar = KeyValueRegistrar()
            eventRegistrar = EventRegistrar<Int>()
            let reuse = (0..<64).map { Array(repeating: 0x4141_4141_4141, count: $0 + 1) }
            withExtendedLifetime(reuse) {}
        }
    }

    /// Announces the changes of `items` by hand.
    final class Manual: Model, @unchecked Sendable {
        static func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { false }
    }

    final class Part: Sendable {
        let whenReleased: @Sendable () -> Void
        init(_ whenReleased: @escaping @Sendable () -> Void = {}) { self.whenReleased = whenReleased }
        deinit { whenReleased() }
    }

    final class Screen {
        private(set) lazy var observations = ObservationController(observer: self)
        private(set) lazy var notRetaining = ObservationController(observer: self, retainsObserved: false)
        var isReplaced = false

        /// Replaces the registrars of an object once.
        func replace(_ model: Model) {
            if isReplaced { return }
            isReplaced = true
            model.forgetObservers()
        }
    }

    /// A place of the program in which the registrars are replaced.
    enum Place: CaseIterable {
        case change, value, prior, initialValue, initialChange, handlerWithoutObservers, initialCallWithoutObservers
        case getterAtRegistration, getterAtChange, getterOfChild, getterOfChildAtRegistration, nestedPath
        case closure, token, bare, batch, batchEnd, inPlace, inPlaceUnobserved, atomicUpdate, atomicHandler, weakHandler, collection
        case oldValue, oldValueUnobserved, termination, replacement, condition, duplicates, entireObject
    }

    // swift-format-ignore: the cases are short.
    private func run(_ place: Place, _ model: Model, _ screen: Screen, _ other: Screen) {
        let (first, second) = (screen.observations, other.observations)
        func replace() { screen.replace(model) }
        switch place {
        case .change:
            first.observe(model, \.n, options: .new) { _, _, _ in replace() }
            second.observe(model, \.n, options: .new) { _, _, _ in }
            model.n = 1
        case .value:
            first.observe(model, \.n) { _, n in if n == 1 { replace() } }
            second.observe(model, \.n) { _, _ in }
            model.n = 1
        case .prior:
            first.observe(model, \.n, options: [.prior, .old, .new]) { _, _, _ in replace() }
            second.observe(model, \.n, options: [.prior, .old, .new]) { _, _, _ in }
            model.n = 1
        case .initialValue:
            second.observe(model, \.n) { _, _ in }
            first.observe(model, \.n) { _, _ in replace() }
        case .initialChange:
            first.observe(model, \.n, options: [.initial, .new]) { _, _, _ in replace() }
            model.n = 1
        case .handlerWithoutObservers:
            first.observe(model, \.n, options: .new) { _, _, _ in
                first.unobserveAll()
                replace()
            }
            model.n = 1
        case .initialCallWithoutObservers:
            first.observe(model, \.n, options: [.initial, .new]) { _, _, _ in
                first.unobserveAll()
                replace()
            }
        case .getterAtRegistration:
            model.whenRead = replace
            first.observe(model, \.sum) { _, _ in }
        case .getterAtChange:
            first.observe(model, \.sum) { _, _ in }
            second.observe(model, \.n) { _, _ in }
            model.whenRead = replace
            model.n = 1
            model.atomic = 2
        case .getterOfChild:
            let child = Model()
            model.child = child
            first.observe(model, \.family) { _, _ in }
            child.whenRead = { screen.replace(child) }
            child.n = 1
            model.n = 1
            child.n = 2
            child.whenRead = {}
        case .getterOfChildAtRegistration:
            let child = Model()
            model.child = child
            second.observe(child, \.n) { _, _ in }
            child.whenRead = { screen.replace(child) }
            first.observe(model, \.family) { _, _ in }
            child.n = 1
            model.n = 1
            child.whenRead = {}
        case .nestedPath:
            let child = Model()
            model.child = child
            first.observe(model, \.child?.n) { _, n in if n == 1 { screen.replace(child) } }
            second.observe(model, \.child?.n) { _, n in }
            child.n = 1
            model.child = Model()
            child.n = 2
        case .closure:
            first.observe(model, \.n, options: [.prior, .old, .new]) { _, _, _ in }
            first.observe(model, \.sum, options: [.old, .new]) { _, _, _ in }
            model.withChange(of: \.n) { replace() }
        case .token:
            first.observe(model, \.n, options: [.prior, .old, .new]) { _, _, _ in }
            let token = model.willChange(\.n)
            replace()
            token.didChange()
        case .bare:
            first.observe(model, \.n, options: [.old, .new]) { _, _, _ in }
            model.willChangeValue(for: \.n)
            replace()
            model.didChangeValue(for: \.n)
        case .batch:
            first.observe(model, \.n, options: [.old, .new]) { _, _, _ in }
            first.observe(model, \.sum, options: [.old, .new]) { _, _, _ in }
            withBatchedChanges {
                model.n = 1
                replace()
                model.n = 2
            }
        case .batchEnd:
            first.observe(model, \.n, options: [.old, .new]) { _, _, _ in replace() }
            first.observe(model, \.items, options: [.old, .new]) { _, _, _ in }
            withBatchedChanges {
                model.n = 1
                model.items = [1]
            }
        case .inPlace, .inPlaceUnobserved:
            if place == .inPlace { first.observe(model, \.items, options: [.old, .new]) { _, _, _ in } }
            first.observe(model, \.n) { _, _ in }
            func edit(_ items: inout [Int]) {
                items.append(1)
                replace()
            }
            edit(&model.items)
        case .atomicUpdate:
            first.observe(model, \.atomic, options: [.prior, .old, .new]) { _, _, _ in }
            model.$atomic.update {
                $0 += 1
                replace()
            }
        case .atomicHandler:
            first.observe(model, \.atomic, options: [.old, .new]) { _, _, _ in replace() }
            second.observe(model, \.atomic, options: [.old, .new]) { _, _, _ in }
            model.atomic = 1
        case .weakHandler:
            let part = Part()
            first.observe(model, \.weak, options: [.prior, .old, .new]) { _, _, _ in replace() }
            second.observe(model, \.weak, options: [.old, .new]) { _, _, _ in }
            model.weak = part
        case .collection:
            first.observe(model, \.items, options: [.prior, .old, .new]) { _, _, _ in replace() }
            second.observe(model, \.items, options: [.old, .new]) { _, _, _ in }
            model.mutableArrayValue(for: \.items).append(contentsOf: [1, 2])
        case .oldValue, .oldValueUnobserved:
            model.part = Part { [unowned model] in model.forgetObservers() }
            if place == .oldValue { first.observe(model, \.part, options: .new) { _, _, _ in } }
            first.observe(model, \.n) { _, _ in }
            model.part = Part()
        case .termination:
            let capture = Part { [unowned model] in model.forgetObservers() }
            first.observe(model, \.n, handler: { (_, _: Int) in _ = capture }, onTermination: { _ in })
            second.observe(model, \.n) { _, n in if n == 1 { first.unobserveAll() } }
            model.n = 1
        case .replacement:
            func register() {
                let capture = Part { [unowned model] in model.forgetObservers() }
                first.observe(model, \.n) { _, _ in _ = capture }
            }
            register()
            first.observe(model, \.n, ifAlreadyObserved: .replace) { _, _ in }
        case .condition:
            first.observeOnce(
                model, \.n,
                where: { n in
                    replace()
                    return n == 1
                }, handler: { _, _ in })
            model.n = 1
        case .duplicates:
            first.observe(
                model, \.n,
                removing: .duplicates(by: { old, new in
                    replace()
                    return old == new
                })
            ) { _, _ in }
            second.observe(model, \.n) { _, _ in }
            model.n = 1
        case .entireObject:
            first.observe(model, \.self) { _, _ in if model.n == 1 { replace() } }
            second.observe(model, \.self) { _, _ in }
            model.n = 1
        }
    }

    @Test("A registrar that is replaced anywhere ends the observations", arguments: Place.allCases, [true, false])
    func aRegistrarIsReplaced(place: Place, isManual: Bool) {
        Warnings.listen()
        let tracker = LifetimeTracker()
        do {
            let (screen, other) = (tracker.track(Screen()), tracker.track(Screen()))
            let model = tracker.track(isManual ? Manual() : Model())
            for _ in 0..<2 {
                screen.isReplaced = false
                run(place, model, screen, other)
                model.whenRead = {}
                model.child?.whenRead = {}
                model.forgetObservers()
                var told = 0
                let late = Screen()
                // What observes from now on is told, and nobody else is.
                late.observations.observe(model, \.n, options: .new) { _, _, _ in told += 1 }
                model.withChange(of: \.n) { model.n += 1 }
                #expect(told == 1)
            }
            // Handlers of observations that have ended with their object wait for a call of the controller, which their captures may keep.
            screen.observations.unobserveAll()
            other.observations.unobserveAll()
        }
        #expect(tracker.survivors == [])
    }

    @Test("A registrar that is replaced is reported once for each registration, with the cure")
    func aReplacedRegistrarIsReported() {
        Warnings.listen()
        let start: UInt = #line
        for _ in 0..<2 {
            let (model, screen) = (Model(), Screen())
            screen.observations.observe(model, \.n) { _, _ in }
            model.forgetObservers()
            screen.observations.observe(model) { (_: Screen, _: Int) in }
            model.forgetObservers()
            // Nobody observes any more, so that nothing ends.
            model.forgetObservers()
        }
        #expect(Warnings.about(start...#line) == ["replacedRegistrar 3", "replacedRegistrar 5"])
        let messages = Warnings.messages(start...#line)
        #expect(messages.first?.contains("`Model.keyValueRegistrar` was replaced or moved") ?? false)
        #expect(messages.first?.contains("`let keyValueRegistrar = KeyValueRegistrar()`") ?? false)
        #expect(messages.last?.contains("`let eventRegistrar = EventRegistrar<Event>()`") ?? false)
    }

    @Test("An object that dies as usual is not reported, and leaves no record")
    func anObjectThatDies() {
        Warnings.listen()
        let tracker = LifetimeTracker()
        let start: UInt = #line
        do {
            let (model, screen) = (Model(), Screen())
            screen.notRetaining.observe(model, \.n) { _, _ in }
            screen.notRetaining.observe(model, \.sum) { _, _ in }
            screen.observations.observe(model) { (_: Screen, _: Int) in }
            if let record = model.keyValueRegistrar.observers.record { tracker.track(record) }
            if let record = model.eventRegistrar.observers.record { tracker.track(record) }
        }
        #expect(tracker.survivors == [])
        #expect(Warnings.about(start...#line) == [])
    }

    @Test("The records of replaced registrars end after their objects")
    func recordsOfReplacedRegistrarsEnd() {
        Warnings.listen()
        let tracker = LifetimeTracker()
        for _ in 0..<10_000 {
            let (model, screen) = (Model(), Screen())
            screen.observations.observe(model, \.n) { _, _ in }
            if let record = model.keyValueRegistrar.observers.record { tracker.track(record) }
            model.forgetObservers()
        }
        #expect(tracker.survivors.count < 1000)
    }

    @Test("A source whose registrar is replaced while the registrar notifies ends the program: Swift allows no such change")
    func aRegistrarOfASourceIsReplaced() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (model, screen) = (Model(), Screen())
            screen.observations.observe(model) { (_: Screen, _: Int) in model.forgetObservers() }
            model.eventRegistrar.notify(1)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("imultaneous accesses"))
    }

    @Test("A registrar may be replaced while another thread delivers a change of the object")
    func aRegistrarIsReplacedByAnotherThread() {
        Warnings.listen()
        let (screen, other) = (Screen(), Screen())
        let model = Model()
        screen.observations.observe(model, \.n, options: .new) { _, _, _ in OtherThread.run { model.forgetObservers() } }
        other.observations.observe(model, \.n, options: .new) { _, _, _ in }
        model.n = 1
        model.n = 2
        #expect(screen.observations.observations.isEmpty && other.observations.observations.isEmpty)
    }
}
