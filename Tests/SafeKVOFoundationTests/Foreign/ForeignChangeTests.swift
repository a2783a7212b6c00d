import CocoaDouble
import SafeKVO
import SafeKVOFoundation
import SafeKVOTesting
import TestSupport
import Testing

/// What observers of another system's objects are told.
@Suite struct ForeignChangeTests: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) each test has a copy of its own.

    enum Genre: Int { case baroque, rock }

    let runtime = CocoaRuntime()
    let listener = ForeignListener()
    let observations: ObservationController<ForeignListener>
    var log: EventLog<String> { listener.log }

    init() {
        observations = ObservationController(observer: listener)
    }

    func expectNoException() { #expect(runtime.exceptions == []) }

    @Test("Rules 3 to 5: each observer gets what its own options ask for")
    func eachGetsWhatItAsksFor() throws {
        let object = CocoaObject(runtime, ["a": 1])
        for (tag, options) in [("1", []), ("2", [.new]), ("3", [.old]), ("4", [.new, .old, .prior]), ("5", [.initial])]
            as [(String, KeyValueObservingOptions)]
        {
            observations.log(object, "a", as: Int.self, options: options, tag: ObservationTag(tag))
        }
        observations.log(object, "a", as: Int.self, options: [.initial, .new, .old, .prior], tag: "6")
        try log.expect(["setting initial", "setting initial new 1"])
        object.set(2, forKey: "a")
        try log.expect([
            "setting prior old 1", "setting prior old 1", "setting", "setting new 2", "setting old 1", "setting old 1 new 2", "setting",
            "setting old 1 new 2",
        ])
        expectNoException()
    }

    @Test("A paused controller: a change that was announced is told to the end, and the present value is handed over when it is resumed")
    func aPausedControllerIsToldToTheEnd() throws {
        let object = CocoaObject(runtime, ["a": 1])
        observations.observe(object, "a", as: Int.self, options: [.prior, .new], tag: "change") { [weak observations] listener, _, change in
            listener.log.append(change.isPrior ? "prior" : "new \(change.newValue ?? -1)")
            if change.isPrior { observations?.pause() }
        }
        observations.observe(object, valuesOf: "a", as: Int.self) { listener, value in listener.log.append("value \(value)") }
        try log.expect(["value 1"])
        object.set(2, forKey: "a")
        try log.expect(["prior", "new 2"])
        object.set(3, forKey: "a")
        try log.expect([])
        observations.resume()
        try log.expect(["value 3"])
        expectNoException()
    }

    @Test("Rule 2: old values are read before a change only if somebody asks for them, new ones after it")
    func valuesAreReadIfSomebodyAsks() throws {
        final class Counting: CocoaObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) one thread uses it.
            var reads = 0
            override var computedKeys: Set<String> { ["a"] }
            override func computedValue(forKey key: String) -> Any? {
                reads += 1
                return reads
            }
        }
        let object = Counting(runtime, [:])
        func reads(_ options: KeyValueObservingOptions) -> Int {
            observations.observe(object, "a", as: Int.self, options: options) { _, _, _ in }
            defer { observations.unobserveAll() }
            let before = object.reads
            object.willChangeValue(forKey: "a")
            object.didChangeValue(forKey: "a")
            return object.reads - before
        }
        #expect(reads([]) == 1)
        #expect(reads(.prior) == 1)
        #expect(reads(.new) == 1)
        #expect(reads([.old, .new]) == 2)
    }

    @Test("Rule 3: nil is present, and not the same as absent; enumerations have their type")
    func optionalsAndEnumerationsAreRight() throws {
        let object = CocoaObject(runtime, ["name": nil, "genre": 0])
        observations.log(object, "name", as: String?.self, options: [.old, .new])
        observations.log(object, "genre", as: Genre.self, options: [.old, .new])
        object.set("a", forKey: "name")
        object.set(nil, forKey: "name")
        object.set(1, forKey: "genre")
        try log.expect([
            "setting old nil new Optional(\"a\")", "setting old Optional(\"a\") new nil", "setting old baroque new rock",
        ])
    }

    @Test("A value of another type is left out and reported once")
    func aValueOfAnotherTypeIsLeftOut() throws {
        Warnings.listen()
        let object = CocoaObject(runtime, ["a": 1])
        let line: UInt = #line + 1
        observations.log(object, "a", as: Int.self, options: [.old, .new])
        object.set("x", forKey: "a")
        object.set("y", forKey: "a")
        try log.expect(["setting old 1", "setting"])
        // The helper says where: here.
        #expect(
            Warnings.messages(line...line, fileID: "SafeKVOFoundationTests/ForeignListener.swift") == [
                "The value of `CocoaObject.a` is of type `String`, but the observation at SafeKVOFoundationTests/ForeignListener.swift:\(line) expects `Int`, "
                    + "so the observer did not get the value. Observe it as `String`."
            ])
    }

    @Test("Rule 6: equal values are told, unless duplicates are removed")
    func equalValuesAreTold() throws {
        let object = CocoaObject(runtime, ["a": 1])
        observations.log(object, "a", as: Int.self)
        observations.log(object, "a", as: Int.self, tag: "distinct", removing: .duplicates)
        object.set(1, forKey: "a")
        object.set(2, forKey: "a")
        try log.expect(["setting new 1", "setting new 2", "setting new 2"])
    }

    @Test("Rule 27: insertions, removals and replacements have their positions and elements")
    func editsHaveTheirElements() throws {
        let object = CocoaObject(runtime, ["list": ["a", "b"]])
        observations.log(object, "list", as: [String].self, options: [.old, .new, .prior])
        object.edit(.insertion, at: 0, 3, to: ["x", "a", "b", "y"])
        try log.expect(["insertion prior at [0, 3]", #"insertion new ["x", "y"] at [0, 3]"#])
        object.edit(.removal, at: 1, to: ["x", "b", "y"])
        try log.expect([#"removal prior old ["a"] at [1]"#, #"removal old ["a"] at [1]"#])
        object.edit(.replacement, at: 2, to: ["x", "b", "z"])
        try log.expect([#"replacement prior old ["y"] at [2]"#, #"replacement old ["y"] new ["z"] at [2]"#])
        object.set(["q"], forKey: "list")
        try log.expect([#"setting prior old ["x", "b", "z"]"#, #"setting old ["x", "b", "z"] new ["q"]"#])
        expectNoException()
    }

    @Test("Handlers that take the value get the whole of a list")
    func valueHandlersGetTheWholeList() {
        let object = CocoaObject(runtime, ["list": ["a"]])
        var values: [[String]] = []
        observations.observe(object, valuesOf: "list", as: [String].self) { values.append($1) }
        object.edit(.insertion, at: 1, to: ["a", "b"])
        #expect(values == [["a"], ["a", "b"]])
    }

    @Test("Rule 28: sets tell what really came and went")
    func setsTellWhatCameAndWent() throws {
        let object = CocoaObject(runtime, ["set": Set(["a", "b"])])
        observations.log(object, "set", as: Set<String>.self, options: [.old, .new])
        func change(_ kind: KeyValueChangeKind, to set: Set<String>) {
            object.willChange(kind, valuesAt: nil, forKey: "set")
            object.store(set, forKey: "set")
            object.didChange(kind, valuesAt: nil, forKey: "set")
        }
        change(.insertion, to: ["a", "b", "c"])
        change(.removal, to: ["a", "b"])
        change(.replacement, to: ["a", "d"])
        change(.insertion, to: ["a", "d"])
        try log.expect([
            #"insertion new ["c"]"#, #"removal old ["c"]"#, #"replacement old ["b"] new ["d"]"#, "insertion new []",
        ])
        // Not what was announced: a setting.
        change(.insertion, to: ["a"])
        #expect(log.removeAll().first?.hasPrefix("setting old [") ?? false)
    }

    @Test("Rule 26: an edit that is announced and not carried out is told as a setting, and raises nothing")
    func anEditNotCarriedOutIsASetting() throws {
        let object = CocoaObject(runtime, ["list": ["a", "b"]])
        observations.log(object, "list", as: [String].self, options: [.old, .new])
        object.edit(.insertion, at: 2, to: ["a", "b"])
        object.edit(.removal, at: 7, to: ["a"])
        object.edit(.replacement, at: 0, to: [])
        try log.expect([
            #"setting old ["a", "b"] new ["a", "b"]"#, #"setting old ["a", "b"] new ["a"]"#, #"setting old ["a"] new []"#,
        ])
        expectNoException()
    }

    @Test("Rule 14: replacing an object on the way is one change of the whole, and the old one is silent")
    func replacingAnObjectOnTheWay() throws {
        let (first, second) = (CocoaObject(runtime, ["b": 1]), CocoaObject(runtime, ["b": 2]))
        let object = CocoaObject(runtime, ["a": first])
        observations.log(object, "a.b", as: Int?.self, options: [.old, .new, .prior])
        object.set(second, forKey: "a")
        first.set(9, forKey: "b")
        second.set(3, forKey: "b")
        object.set(nil, forKey: "a")
        second.set(4, forKey: "b")
        object.set(first, forKey: "a")
        try log.expect([
            "setting prior old Optional(1)", "setting old Optional(1) new Optional(2)", "setting prior old Optional(2)",
            "setting old Optional(2) new Optional(3)", "setting prior old Optional(3)", "setting old Optional(3) new nil",
            "setting prior old nil", "setting old nil new Optional(9)",
        ])
        #expect([first, second, object].map(\.registrationCount) == [1, 0, 1])
        observations.unobserveAll()
        #expect([first, second, object].map(\.registrationCount) == [0, 0, 0])
        expectNoException()
    }

    @Test("Rule 14: a nested path keeps nothing that it passes")
    func aNestedPathKeepsNothing() throws {
        let tracker = LifetimeTracker()
        let object = CocoaObject(runtime, ["a": nil])
        func put() { object.set(tracker.track(CocoaObject(runtime, ["b": 1])), forKey: "a") }
        put()
        observations.log(object, "a.b", as: Int?.self)
        object.store(nil, forKey: "a")
        try tracker.expectAllGone()
        put()
        try log.expect(["setting new Optional(1)"])
        object.set(nil, forKey: "a")
        try tracker.expectAllGone()
        expectNoException()
    }

    @Test("Rule 22: announcements of two keys nest")
    func announcementsOfTwoKeysNest() throws {
        let object = CocoaObject(runtime, ["a": 1, "b": 2])
        observations.log(object, "a", as: Int.self, options: [.new, .prior])
        observations.log(object, "b", as: Int.self, options: [.new, .prior])
        object.willChangeValue(forKey: "a")
        object.willChangeValue(forKey: "b")
        object.didChangeValue(forKey: "b")
        object.didChangeValue(forKey: "a")
        try log.expect(["setting prior", "setting prior", "setting new 2", "setting new 1"])
    }

    @Test("Rules 10, 24 and 25: who comes between will and did does not hear it; did without will, and will without did, harm nobody")
    func whoComesBetweenDoesNotHearIt() throws {
        let runtime = CocoaRuntime(mergesNestedChanges: false)
        let object = CocoaObject(runtime, ["a": 1])
        observations.log(object, "a", as: Int.self, tag: "1")
        object.didChangeValue(forKey: "a")
        object.willChangeValue(forKey: "a")
        observations.log(object, "a", as: Int.self, tag: "2")
        object.didChangeValue(forKey: "a")
        try log.expect(["setting new 1"])
        for _ in 0..<1000 { object.willChangeValue(forKey: "a") }
        object.set(2, forKey: "a")
        try log.expect(["setting new 2", "setting new 2"])
        #expect(runtime.exceptions == [])
    }

    @Test("Rule 47: a batch tells one change, first old and last new")
    func aBatchTellsOneChange() throws {
        let object = CocoaObject(runtime, ["a": 1, "list": ["x"]])
        observations.log(object, "a", as: Int.self, options: [.old, .new, .prior])
        observations.log(object, "list", as: [String].self, options: [.old, .new])
        withBatchedChanges {
            object.set(2, forKey: "a")
            object.edit(.insertion, at: 1, to: ["x", "y"])
            object.set(3, forKey: "a")
        }
        try log.expect(["setting prior old 1", "setting old 1 new 3", #"setting old ["x"] new ["x", "y"]"#])
    }

    @Test("Rule 20: a key path by its name and by its spelling is one observation; a tag keeps two")
    func oneKeyPathIsOneObservation() {
        let object = CocoaObject(runtime, ["a": 1])
        #expect(observations.log(object, "a", as: Int.self) == .added)
        #expect(observations.log(object, "a", as: Int?.self) == .alreadyObserved)
        #expect(observations.log(object, "a", as: Int.self, tag: "2") == .added)
        #expect(object.registrationCount == 1)
        #expect(observations.unobserve(object, "a") == 1)
        #expect(object.registrationCount == 1)
        #expect(observations.unobserve(object) == 1)
        #expect(object.registrationCount == 0)
        expectNoException()
    }

    @Test("Rule 40: a handler of the main actor is not run elsewhere, and the warning names what the program can do")
    @MainActor
    func aHandlerOfTheMainActorIsNotRunElsewhere() {
        Warnings.listen()
        let object = CocoaObject(runtime, ["a": 1])
        var heard: [Int] = []
        let line: UInt = #line + 1
        observations.observe(object, valuesOf: "a", as: Int.self) { heard.append($1) }
        OtherThread.run { object.set(2, forKey: "a") }
        object.set(3, forKey: "a")
        #expect(heard == [1, 3])
        #expect(observations.counters.wrongIsolation == 1)
        let file: StaticString = "SafeKVOFoundationTests/ForeignListener.swift"
        #expect(
            Warnings.messages(line...line, fileID: file) == [
                "`CocoaObject.a` was changed outside the isolation in which it was observed at \(file):\(line), so the handler was not "
                    + "called. Change it in that isolation, or pass `on:`."
            ])
    }

    @Test("Diagnostics name the object's class, its identity and the key path")
    func diagnosticsNameTheObject() {
        let object = CocoaObject(runtime, ["a": nil])
        observations.log(object, "a.b", as: Int?.self, options: [.new, .old])
        let observation = observations.observations.first
        #expect(observation?.subject == ObjectIdentifier(object))
        #expect(observation?.subjectType == "CocoaObject")
        #expect(observation?.name == "a.b")
        #expect(observation?.options == [.new, .old])
        #expect(observation?.retainsSubject == true)
    }

    @Test("Rule 19: what cannot be observed is accepted, silent, and reported once with the line; nothing raises")
    func whatCannotBeObservedIsReported() throws {
        Warnings.listen()
        let array = CocoaArray(runtime, ["count": 0])
        let object = CocoaObject(runtime, ["a": 1, "array": array, "nested": CocoaObject(runtime, ["b": 1])])
        let first: UInt = #line + 1
        observations.log(object, "x", as: Int?.self, options: [.initial, .new])
        observations.log(object, "array.count", as: Int?.self, options: [.initial, .new])
        observations.log(object, "nested.x", as: Int?.self, options: [.initial, .new, .old])
        observations.log(array, "count", as: Int?.self, options: [.initial, .new])
        observations.log(object, "a.b", as: Int?.self, options: [.initial, .new])
        observations.log(object, "", as: Int?.self, options: [.initial, .new])
        let last: UInt = #line - 1
        try log.expect(Array(repeating: "setting initial", count: 6))
        let warnings = Warnings.about(first...last, fileID: "SafeKVOFoundationTests/ForeignListener.swift")
        #expect(warnings == (0...5).map { "nothingObservable \($0)" })
        #expect(
            Warnings.messages(first...first, fileID: "SafeKVOFoundationTests/ForeignListener.swift").first?.contains("`@objc dynamic`")
                ?? false)
        // On the way to what cannot be observed there is something that can.
        object.set(CocoaObject(runtime, ["x": 5]), forKey: "nested")
        try log.expect(["setting new Optional(5)"])
        object.set(array, forKey: "nested")
        object.set(nil, forKey: "nested")
        #expect(observations.unobserveAll() == 6)
        #expect(object.registrationCount == 0)
        expectNoException()
    }
}
