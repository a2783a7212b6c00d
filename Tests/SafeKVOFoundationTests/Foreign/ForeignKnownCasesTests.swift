import CocoaDouble
import SafeKVO
import SafeKVOFoundation
import SafeKVOTesting
import TestSupport
import Testing

/// The cases for which Cocoa's own classes, and those who observe them, are known: with the double itself, and through the controller.
@Suite struct ForeignKnownCasesTests: CocoaSuite, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) each test has a copy of its own.

    let runtime = CocoaRuntime(mergesNestedChanges: false)
    let direct = CocoaListener()
    let listener = ForeignListener()
    let tracker = LifetimeTracker()
    let observations: ObservationController<ForeignListener>

    init() {
        Warnings.listen()
        observations = ObservationController(observer: listener)
    }

    // MARK: Deallocated while observed

    @Test(
        "Rule 32: an object that dies while it is observed raises for those who forgot to remove themselves, and not for the controller",
        arguments: [true, false], ["a", "next.a"])
    func deallocatedWhileObserved(raises: Bool, path: String) throws {
        let runtime = CocoaRuntime(raisesInDealloc: raises)
        let observations = ObservationController(observer: listener, retainsObserved: false)
        do {
            let object = tracker.track(CocoaObject(runtime, ["a": 1, "next": CocoaObject(runtime, ["a": 1])]))
            object.addObserver(direct, forKeyPath: path, options: [], context: 0)
            let registration = Registration(.closure, .new, nil, .ignore, nil, #fileID, #line) { [log] reason in log.append("\(reason)") }
            _ = observations.observe(object, of: runtime, ForeignKeyPath(path), registration) {
                (listener, _: CocoaObject, _: KeyValueChange<Int?>) in listener.log.append("heard")
            }
        }
        try tracker.expectAllGone()
        try log.expect(["objectDeinitialized"])
        let forgotten = path == "a" ? [["a"]] : [["next.a"], ["a"]]
        #expect(runtime.exceptions == (raises ? forgotten.map { .deallocatedWhileObserved(keyPaths: $0) } : []))
        #expect(runtime.registrations.made == forgotten.count)
        #expect(runtime.registrations.ended == forgotten.count)
    }

    // MARK: UserDefaults, which is changed on a background queue

    @Test(
        "Rules 40, 41: of defaults that are changed on a background queue, the main actor gets each change by `on:`, and is warned without")
    @MainActor func defaultsThatChangeInTheBackground() async throws {
        let defaults = CocoaObject(runtime, ["a": 0])
        defaults.addObserver(direct, forKeyPath: "a", options: [.old, .new], context: 0)
        let line: UInt = #line + 1
        observations.observe(defaults, \.a, tag: "here") { listener, value in listener.log.append("here \(value)") }
        observations.observe(
            defaults, \.a, options: [.old, .new],
            on: .mainActor { listener, _, change in listener.log.append("\(change.oldValue ?? -1) \(change.newValue ?? -1)") })
        OtherThread.run { for number in 1...3 { defaults.set(number, forKey: "a") } }
        #expect(direct.told.map { $0[.old] as? Int } == [0, 1, 2])
        await until { log.events.count == 4 }
        defaults.set(4, forKey: "a")
        await until { log.events.count == 6 }
        try log.expect(["here 0", "0 1", "1 2", "2 3", "here 4", "3 4"])
        #expect(observations.counters.wrongIsolation == 3)
        #expect(Warnings.about(line...line) == ["misplacedChange 0"])
        defaults.removeObserver(direct, forKeyPath: "a", context: 0)
        expectSafe()
    }

    @Test("Rules 36, 39: an observer of defaults is removed while its handler runs on a background queue")
    func removedWhileTheHandlerRuns() throws {
        let (defaults, gate, isDone) = (CocoaObject(runtime, ["a": 0]), Gate(), Flag())
        observations.observe(defaults, "a", as: Int.self, isolation: nil) { listener, _, change in
            gate.pass()
            listener.log.append("\(change.newValue ?? -1)")
        }
        Threads.start {
            for number in 1...2 { defaults.set(number, forKey: "a") }
            isDone.set()
        }
        gate.waitUntilHeld()
        #expect(observations.unobserve(defaults, "a") == 1)
        #expect(defaults.registrationCount == 0)
        gate.open()
        isDone.wait()
        try log.expect(["1"])
        expectSafe()
    }

    // MARK: AVPlayer, whose status changes when it likes

    enum Status: Int { case unknown, ready, failed }

    /// An object whose status changes on another thread while somebody registers.
    final class Player: CocoaObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread at a time uses it, as the tests say.
        var becomesReady = false

        init(_ runtime: CocoaRuntime) { super.init(runtime, ["status": Status.unknown.rawValue]) }

        override func willRegister(forKey key: String) {
            guard becomesReady else { return }
            becomesReady = false
            changeElsewhere(to: .ready)
        }

        func changeElsewhere(to status: Status) { OtherThread.run { self.set(status.rawValue, forKey: "status") } }
    }

    @Test(
        "Rules 3, 4, 38: a status that changes on another thread, while somebody registers and in the initial call, is not missed",
        arguments: [true, false])
    func theStatusOfAPlayer(whileRegistering: Bool) throws {
        let player = Player(runtime)
        player.becomesReady = whileRegistering
        direct.onChange = { [direct] in if direct.told.count == 1, !whileRegistering { player.changeElsewhere(to: .ready) } }
        player.addObserver(direct, forKeyPath: "status", options: [.initial, .old, .new], context: 0)
        #expect(direct.told.map { $0[.new] as? Int } == (whileRegistering ? [1] : [0, 1]))
        #expect(direct.told.map { $0[.old] as? Int } == (whileRegistering ? [nil] : [nil, 0]))
        player.removeObserver(direct, forKeyPath: "status", context: 0)

        player.set(Status.unknown.rawValue, forKey: "status")
        player.becomesReady = whileRegistering
        observations.observe(player, "status", as: Status.self, options: [.initial, .old, .new], isolation: nil) {
            listener, object, change in
            listener.log.append("\(change.oldValue.map { "\($0)" } ?? "-") \(change.newValue.map { "\($0)" } ?? "-")")
            if change.isInitial, !whileRegistering { (object as? Player)?.changeElsewhere(to: .ready) }
        }
        player.changeElsewhere(to: .failed)
        try log.expect((whileRegistering ? ["- ready"] : ["- unknown", "unknown ready"]) + ["ready failed"])
        expectSafe()
    }

    @Test("Rule 40: the status of an item that is replaced on another thread is told on the main actor, at last the newest one")
    @MainActor func theStatusOfAnItem() async throws {
        let (first, second) = (Player(runtime), Player(runtime))
        let player = CocoaObject(runtime, ["item": first])
        observations.observe(player, valuesOf: "item.status", as: Status?.self) { listener, status in
            MainActor.preconditionIsolated()
            listener.log.append(status.map { "\($0)" } ?? "-")
        }
        first.changeElsewhere(to: .ready)
        OtherThread.run { player.set(second, forKey: "item") }
        second.changeElsewhere(to: .failed)
        await until { log.events.last == "failed" }
        #expect(log.events.first == "unknown")
        #expect([first, second].map(\.registrationCount) == [0, 1])
        #expect(observations.counters.wrongIsolation == 0)
        expectSafe()
    }

    // MARK: Operation, whose keys depend on a state and are announced by several threads

    final class Work: CocoaObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) it adds nothing.
        init(_ runtime: CocoaRuntime) { super.init(runtime, ["isDone": false]) }

        override var computedKeys: Set<String> { ["isFinished", "isExecuting"] }

        override func computedValue(forKey key: String) -> Any? { (value(forKey: "isDone") as? Bool) == (key == "isFinished") }

        override func keysAffectingValue(forKey key: String) -> Set<String> { computedKeys.contains(key) ? ["isDone"] : [] }
    }

    @Test("Rule 23: an operation that another thread finishes while this one announces it is finished for both", arguments: [true, false])
    func twoThreadsFinishAnOperation(merges: Bool) throws {
        let runtime = CocoaRuntime(mergesNestedChanges: merges)
        let work = Work(runtime)
        work.addObserver(direct, forKeyPath: "isFinished", options: [.old, .new], context: 0)
        observations.log(work, "isFinished", as: Bool.self, options: [.old, .new])
        work.willChangeValue(forKey: "isFinished")
        OtherThread.run { work.set(true, forKey: "isDone") }
        work.didChangeValue(forKey: "isFinished")
        #expect(direct.told.map { $0[.new] as? Bool } == Array(repeating: true, count: merges ? 1 : 2))
        try log.expect(Array(repeating: "setting old false new true", count: merges ? 1 : 2))
        work.removeObserver(direct, forKeyPath: "isFinished", context: 0)
        observations.unobserveAll()
        #expect(runtime.exceptions == [])
        #expect(work.registrationCount == 0)
    }

    @Test("Rules 23, 37: of two threads whose announcements of one operation cross, each ends its own")
    func announcementsOfTwoThreadsCross() throws {
        let (work, gate, isDone) = (Work(runtime), Gate(), Flag())
        work.addObserver(direct, forKeyPath: "isFinished", options: .new, context: 0)
        observations.observe(work, "isFinished", as: Bool.self, options: [.old, .new], isolation: nil) { listener, _, change in
            listener.log.append("\(change.oldValue.map { "\($0)" } ?? "-") \(change.newValue.map { "\($0)" } ?? "-")")
        }
        work.willChangeValue(forKey: "isFinished")
        work.store(true, forKey: "isDone")
        Threads.start {
            work.willChangeValue(forKey: "isFinished")
            gate.pass()
            work.store(false, forKey: "isDone")
            work.didChangeValue(forKey: "isFinished")
            isDone.set()
        }
        gate.waitUntilHeld()
        work.didChangeValue(forKey: "isFinished")
        gate.open()
        isDone.wait()
        #expect(direct.told.map { $0[.new] as? Bool } == [true, false])
        try log.expect(["false true", "true false"])
        work.removeObserver(direct, forKeyPath: "isFinished", context: 0)
        expectSafe()
    }

    @Test("Rule 37: each of the changes that several threads announce, of a state and by hand, is one call, and all have ended")
    func severalThreadsAnnounceAnOperation() async throws {
        let work = Work(runtime)
        observations.log(work, "isFinished", as: Bool.self, options: .new)
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    await Threads.run {
                        for round in 0..<50 {
                            if (thread + round).isMultiple(of: 2) {
                                work.set(true, forKey: "isDone")
                            } else {
                                work.willChangeValue(forKey: "isFinished")
                                work.store(true, forKey: "isDone")
                                work.didChangeValue(forKey: "isFinished")
                            }
                        }
                    }
                }
            }
        }
        let heard = log.removeAll()
        #expect(heard.count == 400)
        #expect(heard.last == "setting new true")
        work.set(false, forKey: "isDone")
        try log.expect(["setting new false"])
        expectSafe()
    }

    @Test("Rules 33, 35: the last reference to an operation may go in the call that says, on another thread, that it is finished")
    func anOperationGoesInItsCall() throws {
        func start() -> Unmanaged<Work> {
            let work = tracker.track(Work(runtime))
            observations.observe(work, "isFinished", as: Bool.self, isolation: nil) { [unowned observations] listener, work, change in
                listener.log.append("\(change.newValue ?? false), removed \(observations.unobserve(work, "isFinished"))")
            }
            return unsafe Unmanaged.passRetained(work)
        }
        let last = unsafe start()
        // SAFETY: the reference is taken once.
        OtherThread.run { unsafe last.takeRetainedValue().set(true, forKey: "isDone") }
        try log.expect(["true, removed 1"])
        try tracker.expectAllGone()
        expectSafe()
    }

    // MARK: A class that another observer has changed

    class Plain: CocoaObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) it adds nothing.
    }

    /// The class that another observer gives to what it observes.
    ///
    /// It stores nothing, and has one key more.
    final class Swizzled: Plain, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) it adds nothing.
        override var computedKeys: Set<String> { ["double"] }

        override func computedValue(forKey key: String) -> Any? { (value(forKey: "a") as? Int).map { $0 * 2 } }

        override func keysAffectingValue(forKey key: String) -> Set<String> { key == "double" ? ["a"] : [] }
    }

    enum Swizzling { case before, during, duringAndBack }

    @Test(
        "Rules 20, 32: an object whose class another observer changes stays the same object",
        arguments: [Swizzling.before, .during, .duringAndBack])
    func anotherObserverChangesTheClass(when: Swizzling) throws {
        do {
            let object: CocoaObject = tracker.track(Plain(runtime, ["a": 1, "next": Plain(runtime, ["a": 1])]))
            func swizzle() {
                object.setClass(Swizzled.self)
                object.addObserver(direct, forKeyPath: "double", options: .new, context: 0)
            }
            if when == .before { swizzle() }
            observations.log(object, "a", as: Int.self)
            observations.log(object, "next.a", as: Int?.self)
            if when != .before { swizzle() }
            // Not `type(of:)`: an optimizer takes the class of an object for constant.
            #expect(object.isCompliant(for: "double"))
            #expect(observations.observations.map(\.subjectType) == Array(repeating: when == .before ? "Swizzled" : "Plain", count: 2))
            #expect(observations.log(object, "a", as: Int.self) == .alreadyObserved)
            #expect(observations.log(object, "double", as: Int.self) == .added)
            object.set(2, forKey: "a")
            (object.value(forKey: "next") as? CocoaObject)?.set(3, forKey: "a")
            #expect(direct.told.map { $0[.new] as? Int } == [4])
            #expect(Set(log.removeAll()) == ["setting new 2", "setting new 4", "setting new Optional(3)"])
            #expect(observations.unobserve(object, "double") == 1)
            object.removeObserver(direct, forKeyPath: "double", context: 0)
            if when == .duringAndBack {
                object.setClass(Plain.self)
                #expect(!object.isCompliant(for: "double"))
            }
            object.set(5, forKey: "a")
            try log.expect(["setting new 5"])
            #expect(observations.unobserve(object, "a") == 1)
            #expect(observations.unobserve(object) == 1)
            #expect(object.registrationCount == 0)
            observations.log(object, "a", as: Int.self)
        }
        observations.unobserveAll()
        try tracker.expectAllGone()
        expectSafe()
    }

    // MARK: Removal in dealloc

    /// Removes itself in its deinit, or forgets to.
    final class Removing: CocoaListener, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread uses it.
        let object: CocoaObject
        let remembers: Bool

        init(_ object: CocoaObject, remembers: Bool) {
            self.object = object
            self.remembers = remembers
            super.init()
            object.addObserver(self, forKeyPath: "a", options: [], context: 0)
        }

        deinit { if remembers { object.removeObserver(self, forKeyPath: "a", context: 0) } }
    }

    @Test("An observer that removes itself in its dealloc is not called any more; one that forgets it is called when it is gone")
    func removalInDealloc() {
        let object = CocoaObject(runtime, ["a": 1])
        do { _ = Removing(object, remembers: true) }
        object.set(2, forKey: "a")
        #expect(runtime.takeExceptions() == [])
        do { _ = Removing(object, remembers: false) }
        object.set(3, forKey: "a")
        #expect(runtime.takeExceptions() == [.observerIsGone(keyPath: "a")])
        // It cannot be removed any more.
        object.removeObserver(direct, forKeyPath: "a", context: 0)
        #expect(runtime.takeExceptions() == [.notRegistered(keyPath: "a")])
    }

    enum Ending: CaseIterable { case unobserve, unobserveAll, invalidate, nothing }

    /// An observer that ends its observations in its deinit.
    final class View {
        let log: EventLog<String>
        let object: CocoaObject
        let ending: Ending
        private lazy var observations = ObservationController(observer: self)

        init(_ object: CocoaObject, _ ending: Ending, _ log: EventLog<String>) {
            (self.object, self.ending, self.log) = (object, ending, log)
            observations.observe(object, "a", as: Int.self) { view, _, change in view.log.append("\(change.newValue ?? -1)") }
        }

        deinit {
            switch ending {
            case .unobserve: log.append("removed \(observations.unobserve(object, "a"))")
            case .unobserveAll: log.append("removed \(observations.unobserveAll())")
            case .invalidate: observations.invalidate()
            case .nothing: break
            }
            object.set(3, forKey: "a")
        }
    }

    @Test(
        "Rules 30, 35: an observer may end its observations in its deinit, also between will and did, or leave it to its controller",
        arguments: Ending.allCases, [true, false])
    func theControllerInADeinit(ending: Ending, betweenWillAndDid: Bool) throws {
        let object = CocoaObject(runtime, ["a": 1])
        var view: View? = View(object, ending, log)
        object.set(2, forKey: "a")
        try log.expect(["2"])
        if betweenWillAndDid { object.willChangeValue(forKey: "a") }
        withExtendedLifetime(view) {}
        view = nil
        if betweenWillAndDid { object.didChangeValue(forKey: "a") }
        object.set(4, forKey: "a")
        try log.expect([.unobserve, .unobserveAll].contains(ending) ? ["removed 1"] : [])
        #expect(object.registrationCount == 0)
        expectSafe()
    }
}
