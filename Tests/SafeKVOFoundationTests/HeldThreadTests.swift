import CocoaDouble
import Dispatch
import Observation
import SafeKVO
import SafeKVOFoundation
import SafeKVOTesting
import TestSupport
import Testing

/// Rule 36a: a thread that is held in a handler or a getter holds up nobody else.
@Suite struct HeldThreadTests {
    final class Child: KeyValueObject, @unchecked Sendable {
        @AtomicObserved var name = "a"
    }

    /// An object that threads share.
    final class Shared: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) `plain` and `title` are used by one thread at a time, as the test says; the rest is atomic.
        let gate: Gate
        @AtomicObserved var level = 0
        @AtomicObserved var other = 0
        @AtomicObserved var items = [1]
        @AtomicObserved var child = Child()
        @Observed var plain = 0
        var title = ""
        var sum: Int {
            defer { gate.pass() }
            return level + other + plain
        }
        var gatedChild: Child {
            defer { gate.pass() }
            return child
        }
        var polled: Int {
            defer { gate.pass() }
            return level
        }
        /// Reach the gate only when they are evaluated for a change.
        var sumOfChange: Int { level > 0 ? sum : 0 }
        var nameOfChange: String { child === first ? "" : gatedChild.name }
        private let first: Child

        init(_ gate: Gate) {
            self.gate = gate
            first = Child()
            super.init()
            child = first
        }
    }

    /// An object of Swift's own `@Observable` that threads share.
    final class Model: Observable, Sendable {
        private let registrar = Observation.ObservationRegistrar()
        let gate: Gate
        init(_ gate: Gate) { self.gate = gate }
        var count: Int {
            defer { gate.pass() }
            registrar.access(self, keyPath: \.count)
            return 0
        }
        func change() { registrar.withMutation(of: self, keyPath: \.count) {} }
    }

    /// An object of another system.
    final class Foreign: CocoaObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) constant.
        let gate: Gate
        init(_ gate: Gate) {
            self.gate = gate
            super.init(CocoaRuntime(), ["a": 1, "next": nil])
            store(CocoaObject(runtime, ["a": 2]), forKey: "next")
        }
        override var computedKeys: Set<String> { ["slow", "held"] }
        override func computedValue(forKey key: String) -> Any? {
            if key == "held" { return 0 }
            defer { gate.pass() }
            return value(forKey: "next")
        }
        override func willRegister(forKey key: String) { if key == "held" { gate.pass() } }
    }

    final class Viewer: Sendable {
        let log = EventLog<Int>()
    }

    /// What the thread is held in.
    enum Place: CaseIterable {
        case valueHandler, changeHandler, priorHandler, initialHandler, handlerOfComputedKey, handlerOfPath, handlerOfQueue
        case computedGetter, computedGetterAfterAChange, getterOnAPath, getterOnAPathAfterAChange
        case pollGetter, observableGetter, foreignGetter, foreignGetterAfterAChange, foreignRegistration
        case batch, manualPair, manualToken, barePair, update, comparison, end
    }

    /// Everything that a test needs.
    struct Setting: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread after the other uses `local`; everything else is `Sendable`.

        let gate = Gate()
        let viewer = Viewer()
        let other = Viewer()
        let shared: Shared
        let model: Model
        let foreign: Foreign
        let observations: SharedObservationController<Viewer>
        let others: SharedObservationController<Viewer>
        let local: ObservationController<Viewer>
        let locals: ObservationController<Viewer>

        init() {
            shared = Shared(gate)
            model = Model(gate)
            foreign = Foreign(gate)
            observations = SharedObservationController(observer: viewer)
            others = SharedObservationController(observer: other)
            local = ObservationController(observer: viewer)
            locals = ObservationController(observer: other)
        }

        /// Brings this thread to a place where the gate holds it.
        func hold(in place: Place) {
            let gate = gate
            switch place {
            case .valueHandler:
                observations.observe(shared, \.level, on: .anyThread { _, level in if level > 0 { gate.pass() } })
                shared.level = 1
            case .changeHandler:
                observations.observe(shared, \.level, options: .new, on: .anyThread { _, _, _ in gate.pass() })
                shared.level = 1
            case .priorHandler:
                observations.observe(shared, \.level, options: .prior, on: .anyThread { _, _, _ in gate.pass() })
                shared.level = 1
            case .initialHandler:
                observations.observe(shared, \.level, on: .anyThread { _, _ in gate.pass() })
            case .handlerOfComputedKey:
                observations.observe(shared, \.items.count, on: .anyThread { _, count in if count > 1 { gate.pass() } })
                shared.items = [1, 2]
            case .handlerOfPath:
                observations.observe(shared, \.child.name, on: .anyThread { _, name in if name == "b" { gate.pass() } })
                shared.child.name = "b"
            case .handlerOfQueue:
                observations.observe(shared, \.level, on: .queue(DispatchQueue(label: "held")) { _, _ in gate.pass() })
                shared.level = 1
            case .computedGetter: observations.observe(shared, \.sum, on: .anyThread { _, _ in })
            case .computedGetterAfterAChange:
                observations.observe(shared, \.sumOfChange, on: .anyThread { _, _ in })
                shared.level = 1
            case .getterOnAPath: observations.observe(shared, \.gatedChild.name, on: .anyThread { _, _ in })
            case .getterOnAPathAfterAChange:
                observations.observe(shared, \.nameOfChange, on: .anyThread { _, _ in })
                shared.child = Child()
            case .pollGetter: observations.poll(shared, \.polled, every: .seconds(1), clock: SteppedClock(), on: .anyThread { _, _ in })
            case .observableGetter: observations.observe(model, \.count, on: .anyThread { _, _ in })
            case .foreignGetter: local.observe(foreign, "slow.a", as: Int.self) { _, _, _ in }
            case .foreignGetterAfterAChange:
                local.observe(foreign, valuesOf: "a", as: Int.self) { _, value in if value > 1 { gate.pass() } }
                foreign.set(2, forKey: "a")
            case .foreignRegistration: local.observe(foreign, "held", as: Int.self) { _, _, _ in }
            case .batch:
                withBatchedChanges {
                    shared.level = 1
                    gate.pass()
                }
            case .manualPair: shared.withChange(of: \.title) { gate.pass() }
            case .manualToken:
                let change = shared.willChange(\.title)
                gate.pass()
                change.didChange()
            case .barePair:
                shared.willChangeValue(for: \.title)
                gate.pass()
                shared.didChangeValue(for: \.title)
            case .update:
                shared.$level.update { level in
                    gate.pass()
                    level += 1
                }
            case .comparison:
                let comparison = SharedRemovingDuplicates<Int>.duplicates { left, right in
                    gate.pass()
                    return left == right
                }
                observations.observe(shared, \.level, removing: comparison, on: .anyThread { _, _ in })
                shared.level = 1
            case .end:
                observations.observe(
                    shared, \.level,
                    on: .anyThread { _, _ in
                    },
                    onTermination: { _ in
                        gate.pass()
                    })
                observations.unobserveAll()
            }
        }

        /// Does everything that sets, registers or removes.
        func setAll() {
            for level in 2...5 { shared.level = level }
            shared.$level.update { $0 += 1 }
            shared.other += 1
            shared.items.append(2)
            shared.$items.update { $0.append(3) }
            shared.child.name = "c"
            shared.child = Child()
            shared.child.name = "d"
            shared.plain += 1
            shared.withChange(of: \.title) { shared.title = "t" }
            shared.willChangeValue(for: \.title)
            shared.didChangeValue(for: \.title)
            withBatchedChanges {
                shared.level = 7
                shared.other = 7
            }
            model.change()
            foreign.set(3, forKey: "a")
            foreign.set(CocoaObject(foreign.runtime, ["a": 4]), forKey: "next")
            others.observe(shared, \.level, on: .anyThread { _, _ in })
            others.observe(shared, \.sum, on: .anyThread { _, _ in })
            others.observe(shared, \.gatedChild.name, on: .anyThread { _, _ in })
            others.observe(model, \.count, on: .anyThread { _, _ in })
            others.poll(shared, \.polled, every: .seconds(1), clock: SteppedClock(), on: .anyThread { _, _ in })
            locals.observe(foreign, "slow.a", as: Int.self) { _, _, _ in }
            locals.observe(foreign, "a", as: Int.self) { _, _, _ in }
            shared.level = 8
            others.unobserve(shared, \.level)
            others.unobserveAll()
            observations.unobserve(shared, \.level)
        }
    }

    @Test("Rule 36a: every setter, registration and removal returns while a thread is held elsewhere", arguments: Place.allCases)
    func nobodyWaits(for place: Place) async {
        let setting = Setting()
        let (isOver, isReleased) = (Flag(), Flag())
        Threads.start {
            setting.hold(in: place)
            isReleased.set()
        }
        setting.gate.waitUntilHeld()
        Threads.start {
            setting.setAll()
            isOver.set()
        }
        await until { isOver.isSet }
        #expect(place == .handlerOfQueue || !isReleased.isSet)
        setting.gate.open()
        isReleased.wait()
        setting.observations.invalidate()
        setting.others.invalidate()
    }
}
