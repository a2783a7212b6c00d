import CocoaDouble
import Foundation
import SafeKVO
import SafeKVOFoundation
import SafeKVOTesting
import TestSupport
import Testing

/// What other threads, getters and handlers do to another system's objects while the library is in the middle of something there.
@Suite struct ForeignCrossingTests: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) each test has a copy of its own.

    /// An object whose getter of `next` lets others in, after it has read and before it answers.
    final class Gated: CocoaObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread at a time uses it, as the tests say.
        var next: CocoaObject?
        var onRead: (() -> Void)?

        override var computedKeys: Set<String> { ["next"] }

        override func computedValue(forKey key: String) -> Any? {
            let present = next
            if let onRead {
                self.onRead = nil
                onRead()
            }
            return present
        }

        func link(to other: CocoaObject?) {
            willChangeValue(forKey: "next")
            next = other
            didChangeValue(forKey: "next")
        }
    }

    let runtime = CocoaRuntime()
    let listener = ForeignListener()
    let observations: ObservationController<ForeignListener>
    var log: EventLog<String> { listener.log }

    init() {
        observations = ObservationController(observer: listener)
    }

    @Test("Rules 4, 9: a change on the way, made elsewhere while the path is evaluated for a new observer, is in its initial value")
    func aChangeWhileAnObserverRegisters() throws {
        let object = Gated(runtime, [:])
        object.next = CocoaObject(runtime, ["a": 1])
        let second = CocoaObject(runtime, ["a": 2])
        object.onRead = { OtherThread.run { object.link(to: second) } }
        observations.log(object, "next.a", as: Int?.self, options: [.initial, .new])
        try log.expect(["setting initial new Optional(2)"])
        second.set(3, forKey: "a")
        try log.expect(["setting new Optional(3)"])
        observations.unobserveAll()
        #expect(runtime.exceptions == [])
    }

    @Test("Rule 2: of two changes on the way, made at once, each is told with the value that is there then")
    func twoChangesOnTheWayAtOnce() throws {
        let (first, second) = (CocoaObject(runtime, ["a": 1]), CocoaObject(runtime, ["a": 2]))
        let inner = Gated(runtime, [:])
        inner.next = first
        let object = Gated(runtime, [:])
        object.next = inner
        observations.log(object, "next.next.a", as: Int?.self, options: [.new])
        let other = Gated(runtime, [:])
        other.next = second
        // While this thread looks for what is on the way now, another one replaces it.
        let third = CocoaObject(runtime, ["a": 3])
        other.onRead = { OtherThread.run { other.link(to: third) } }
        object.link(to: other)
        let heard = log.removeAll()
        #expect(heard.last == "setting new Optional(3)")
        #expect(!heard.contains("setting new nil"))
        #expect(!heard.contains("setting new Optional(1)"))
        observations.unobserveAll()
        #expect(runtime.exceptions == [])
    }

    /// Lets two threads meet.
    final class Meeting: Sendable {
        private let arrived = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]

        func arrive(_ index: Int) {
            arrived[index].signal()
            arrived[1 - index].wait()
        }
    }

    @Test("Rule 36: two threads that each observe what the other is just looking at, inside getters, do not wait for each other")
    func gettersThatObserveCross() {
        let objects = [Gated(runtime, [:]), Gated(runtime, [:])]
        let (meeting, listener) = (Meeting(), listener)
        @Sendable func observe(_ index: Int) {
            let observations = ObservationController(observer: listener)
            objects[index].onRead = {
                meeting.arrive(index)
                let inner = ObservationController(observer: listener)
                inner.observe(objects[1 - index], "next.a", as: Int?.self) { _, _, _ in }
                inner.unobserveAll()
            }
            objects[index].next = CocoaObject(objects[index].runtime, ["a": index])
            observations.log(objects[index], "next.a", as: Int?.self)
            objects[index].next?.set(7, forKey: "a")
            observations.unobserveAll()
        }
        let done = DispatchSemaphore(value: 0)
        Thread {
            observe(0)
            done.signal()
        }.start()
        observe(1)
        done.wait()
        #expect(log.removeAll() == ["setting new Optional(7)", "setting new Optional(7)"])
        #expect(runtime.exceptions == [])
        #expect(runtime.registrations.made == runtime.registrations.ended)
    }

    @Test("Rule 36: two threads that each observe what the other is just registered with, inside Cocoa, do not wait for each other")
    func registeringCrosses() {
        final class Registering: CocoaObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) set before threads use it.
            var onRegister: (() -> Void)?

            override func willRegister(forKey key: String) {
                if key == "a" { onRegister?() }
            }
        }
        let objects = [0, 1].map { _ in Registering(runtime, ["a": 0, "b": 0]) }
        let meeting = Meeting()
        for index in 0...1 {
            objects[index].onRegister = { [observations] in
                meeting.arrive(index)
                observations.log(objects[1 - index], "b", as: Int.self)
            }
        }
        let done = DispatchSemaphore(value: 0)
        // SAFETY: (of nonisolated(unsafe)) a controller guards its own state, and its handlers only write a log.
        nonisolated(unsafe) let shared = observations
        Thread {
            unsafe shared.log(objects[0], "a", as: Int.self)
            done.signal()
        }.start()
        observations.log(objects[1], "a", as: Int.self)
        done.wait()
        for object in objects { for key in ["a", "b"] { object.set(1, forKey: key) } }
        #expect(log.removeAll().count == 4)
        #expect(observations.unobserveAll() == 4)
        #expect(runtime.exceptions == [])
        #expect(runtime.registrations.made == runtime.registrations.ended)
    }

    @Test("Rules 1, 36a: registering on a path that another thread evaluates does not wait; what changes until that is done is handed over")
    func registeringDoesNotWaitForAnEvaluation() throws {
        let (object, child, gate) = (Gated(runtime, [:]), CocoaObject(runtime, ["a": 1]), Gate())
        object.next = child
        object.onRead = { gate.pass() }
        // SAFETY: (of nonisolated(unsafe)) the other thread is done with the controller before this one uses it.
        nonisolated(unsafe) let other = ObservationController(observer: listener)
        let isDone = Flag()
        Threads.start {
            unsafe other.log(object, "next.a", as: Int.self)
            isDone.set()
        }
        gate.waitUntilHeld()
        observations.observe(object, valuesOf: "next.a", as: Int.self) { listener, value in listener.log.append("\(value)") }
        observations.log(object, "next.a", as: Int.self, options: [.initial, .new], tag: "changes")
        observations.log(object, "next.a", as: Int.self, tag: "later")
        try log.expect(["1", "setting initial new 1"])
        child.set(2, forKey: "a")
        try log.expect([])
        gate.open()
        isDone.wait()
        try log.expect(["2", "setting new 2", "setting new 2"])
        unsafe other.unobserveAll()
        child.set(3, forKey: "a")
        try log.expect(["3", "setting new 3", "setting new 3"])
        observations.unobserveAll()
        #expect(runtime.exceptions == [])
        #expect(runtime.registrations.made == runtime.registrations.ended)
    }

    @Test("Rules 36a, 40: what changed until the registrations were complete is handed over in the isolation of the handler")
    @MainActor func whatChangedIsHandedOverInTheIsolation() async throws {
        let (object, child, gate) = (Gated(runtime, [:]), CocoaObject(runtime, ["a": 1]), Gate())
        object.next = child
        object.onRead = { gate.pass() }
        // SAFETY: (of nonisolated(unsafe)) the other thread is done with the controller before this one uses it.
        nonisolated(unsafe) let other = ObservationController(observer: listener)
        let isDone = Flag()
        Threads.start {
            unsafe other.log(object, "next.a", as: Int.self)
            isDone.set()
        }
        gate.waitUntilHeld()
        observations.observe(object, valuesOf: "next.a", as: Int.self) { listener, value in
            MainActor.preconditionIsolated()
            listener.log.append("\(value)")
        }
        child.set(2, forKey: "a")
        gate.open()
        isDone.wait()
        await until { log.events.count == 2 }
        try log.expect(["1", "2"])
        #expect(observations.counters.wrongIsolation == 0)
        unsafe other.unobserveAll()
    }

    @Test("Rules 36a, 38: registering beside another thread at one object does not wait; what changes until that is done is handed over")
    func registeringDoesNotWaitForARegistration() throws {
        final class Registering: CocoaObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) set before threads use it.
            var onRegister: (() -> Void)?

            override func willRegister(forKey key: String) {
                if key == "a" { onRegister?() }
            }
        }
        let (object, gate) = (Registering(runtime, ["a": 0, "b": 0]), Gate())
        object.onRegister = { gate.pass() }
        // SAFETY: (of nonisolated(unsafe)) the other thread is done with the controller before this one uses it.
        nonisolated(unsafe) let other = ObservationController(observer: listener)
        let isDone = Flag()
        Threads.start {
            unsafe other.log(object, "a", as: Int.self)
            isDone.set()
        }
        gate.waitUntilHeld()
        observations.observe(object, valuesOf: "b", as: Int.self) { listener, value in listener.log.append("\(value)") }
        object.set(5, forKey: "b")
        try log.expect(["0"])
        gate.open()
        isDone.wait()
        try log.expect(["5"])
        object.set(6, forKey: "b")
        try log.expect(["6"])
        unsafe other.unobserveAll()
        observations.unobserveAll()
        #expect(runtime.exceptions == [])
        #expect(runtime.registrations.made == runtime.registrations.ended)
    }
}
