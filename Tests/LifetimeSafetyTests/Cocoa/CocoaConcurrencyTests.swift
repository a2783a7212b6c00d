import CocoaDouble
import SafeKVO
import SafeKVOFoundation
import Testing

/// Rule 36, of objects that another system observes: such systems do not survive two threads at the registrations of one object.
@Suite struct CocoaConcurrencyTests {
    /// An observer that threads share.
    private final class Listener: Sendable {
        let calls = Tally()
    }

    private let runtime = CocoaRuntime(mergesNestedChanges: false)
    private let listener = Listener()

    private func observe(
        _ object: CocoaObject, _ path: String, _ controller: SharedObservationController<Listener>,
        options: KeyValueObservingOptions = .new
    ) -> ObservationResult {
        let registration = Registration(.closure, options, nil, .ignore, nil, #fileID, #line, nil)
        return controller.observe(object, of: runtime, ForeignKeyPath(path), registration) {
            (listener, _: CocoaObject, _: KeyValueChange<Int?>) in
            listener.calls.add()
        }
    }

    private func expectSettled() {
        #expect(runtime.exceptions == [])
        #expect(runtime.registrations.made == runtime.registrations.ended)
    }

    @Test("Threads come and go as observers of one object while another changes it", arguments: [true, false])
    func threadsComeAndGo(retaining: Bool) throws {
        let object = CocoaObject(runtime, ["a": 0, "b": 0, "next": CocoaObject(runtime, ["a": 0])])
        let paths = ["a", "b", "next.a", "a"]
        try Threads.run(5) { [runtime, listener] thread in
            guard thread < 4 else {
                for number in 0..<2000 { object.set(number, forKey: number.isMultiple(of: 2) ? "a" : "b") }
                return
            }
            let controller = SharedObservationController(observer: listener, retainsObserved: retaining)
            for round in 0..<400 {
                let result = observe(object, paths[(thread + round) % 4], controller, options: [.initial, .new, .old, .prior])
                #expect(result == .added)
                if round.isMultiple(of: 3) {
                    controller.unobserveAll()
                } else {
                    let removed = controller.unobserve(object, of: runtime, ForeignKeyPath(paths[(thread + round) % 4]), tag: nil)
                    #expect(removed == 1)
                }
            }
        }
        #expect(object.registrationCount == 0)
        expectSettled()
        Figures.shared.add(threads: 5)
        Figures.shared.add(operations: 5200)
    }

    @Test("Observing and unobserving the same key path on the same controller cross")
    func observingAndUnobservingCross() throws {
        let object = CocoaObject(runtime, ["a": 0])
        let controller = SharedObservationController(observer: listener)
        let gate = Meeting(parties: 3)
        try Threads.run(3) { [runtime] thread in
            for _ in 0..<500 {
                gate.pass()
                if thread == 0 {
                    _ = observe(object, "a", controller)
                } else if thread == 1 {
                    _ = controller.unobserve(object, of: runtime, ForeignKeyPath("a"), tag: nil)
                } else {
                    controller.unobserveAll()
                }
            }
        }
        controller.unobserveAll()
        #expect(object.registrationCount == 0)
        // Whatever came of it, it works.
        #expect(observe(object, "a", controller) == .added)
        let before = listener.calls.total
        object.set(1, forKey: "a")
        #expect(listener.calls.total == before + 1)
        controller.unobserveAll()
        expectSettled()
        Figures.shared.add(threads: 3)
        Figures.shared.add(interleavings: 500)
    }

    @Test("An object dies while other threads observe and unobserve it without retaining", arguments: ["a", "next.a"])
    func anObjectDiesWhileItIsObserved(path: String) throws {
        let place = Shared<CocoaObject?>(nil)
        let gate = Meeting(parties: 3)
        try Threads.run(3) { [runtime, listener] thread in
            let controller = SharedObservationController(observer: listener, retainsObserved: false)
            for _ in 0..<300 {
                if thread == 0 {
                    _ = place.exchange(CocoaObject(runtime, ["a": 0, "next": CocoaObject(runtime, ["a": 0])]))
                }
                gate.pass()
                if thread == 0 {
                    _ = place.exchange(nil)
                } else if let object = place.current {
                    _ = observe(object, path, controller)
                    object.set(1, forKey: "a")
                    if thread == 1 { controller.unobserveAll() }
                }
                gate.pass()
            }
            controller.unobserveAll()
        }
        _ = place.exchange(nil)
        expectSettled()
        Figures.shared.add(threads: 3)
        Figures.shared.add(interleavings: 300)
    }

    @Test("An object on the way is replaced while other threads observe across it")
    func anObjectOnTheWayIsReplaced() throws {
        let object = CocoaObject(runtime, ["next": nil])
        try Threads.run(4) { [runtime, listener] thread in
            if thread == 0 {
                for round in 0..<600 {
                    object.set(round.isMultiple(of: 5) ? nil : CocoaObject(runtime, ["a": round]), forKey: "next")
                }
                return
            }
            let controller = SharedObservationController(observer: listener)
            for _ in 0..<200 {
                _ = observe(object, "next.a", controller, options: [.initial, .new, .old])
                (object.value(forKey: "next") as? CocoaObject)?.set(7, forKey: "a")
                controller.unobserveAll()
            }
        }
        #expect(object.registrationCount == 0)
        // The way is there for whoever comes.
        let controller = SharedObservationController(observer: listener)
        object.set(CocoaObject(runtime, ["a": 0]), forKey: "next")
        #expect(observe(object, "next.a", controller) == .added)
        let before = listener.calls.total
        (object.value(forKey: "next") as? CocoaObject)?.set(1, forKey: "a")
        #expect(listener.calls.total == before + 1)
        controller.unobserveAll()
        object.set(nil, forKey: "next")
        expectSettled()
        Figures.shared.add(threads: 4)
        Figures.shared.add(operations: 1800)
    }

    @Test("Rule 38: with one writer, the last value seen is the last written, and none comes after it")
    func theLastValueSeenIsTheLastWritten() throws {
        final class Last: Sendable {
            let value = Shared(-1)
        }
        for round in 0..<60 {
            let object = CocoaObject(runtime, ["a": 0])
            let observers = (0..<2).map { _ in Last() }
            let controllers = observers.map { SharedObservationController(observer: $0) }
            let gate = Meeting(parties: 3)
            try Threads.run(3) { [runtime] thread in
                gate.pass()
                if thread == 0 {
                    for number in 1...50 { object.set(number, forKey: "a") }
                    return
                }
                let registration = Registration(.closure, .value(true), nil, .ignore, nil, #fileID, #line, nil)
                _ = controllers[thread - 1].observe(object, of: runtime, ForeignKeyPath("a"), registration) {
                    (last, value: Int) in
                    last.value.with { $0 = value }
                }
            }
            #expect(observers.map { $0.value.current } == [50, 50], "round \(round)")
            for controller in controllers { controller.unobserveAll() }
        }
        expectSettled()
        Figures.shared.add(threads: 180)
        Figures.shared.add(interleavings: 120)
    }
}
