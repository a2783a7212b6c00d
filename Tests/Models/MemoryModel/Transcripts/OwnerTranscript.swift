/// `OnceReference`, a word that is set once: in `ObserverRegistrar`, `ObservationSlot` and `ObserverList`.
package struct OnceTranscript {
    static let file = "Delivery/OnceReference.swift"
    static let isEmpty = Site(file, "isEmpty", "load", .relaxed)
    static let reference = Site(file, "reference", "load", .acquiring)
    static let store = Site(file, "store", "compareExchange", .acquiringAndReleasing)
    static let take = Site(
        file, "take", "store", .relaxed, untranscribed: "Nobody else has the value any more, so that any order does.")

    static let sites = [isEmpty, reference, store, take]

    private static let retain = Site("", "", "retain", .relaxed)
    private static let release = Site("", "", "release", .acquiringAndReleasing)

    /// Two threads make what the word points to, use it and let go of the owner; a third looks.
    ///
    /// - Parameters:
    ///   - name: The name of the program.
    ///   - look: How the third thread looks; nothing for two threads only.
    /// - Returns: the program.
    private static func program(_ name: String, look: [Site]) -> Program {
        var memory = Memory()
        let word = memory.atomic("the word")
        let references = memory.atomic("the owner's references", look.isEmpty ? 2 : 3)
        let objects = (1...2).map { memory.object("object \($0)") }
        let contents = (1...2).map { memory.plain("what object \($0) holds") }
        let destroyed = memory.ghost()
        func use(_ t: ModelThread, _ object: Int) throws {
            try t.touch(objects[object - 1])
            try t.check(t.read(contents[object - 1]) == 1, "an object is used before it is made")
        }
        func letGo(_ t: ModelThread) throws {
            if try t.add(references, -1, release) > 1 { return }
            try t.addGhost(destroyed)
            let object = try t.load(word, reference)
            if object == 0 { return }
            try use(t, object)
            try t.free(objects[object - 1])
        }
        let makers: [Program.Thread] = [1, 2].map { number in
            (
                "thread \(number)",
                [
                    { t in
                        var object = try t.load(word, reference)
                        if object == 0 {
                            try t.write(contents[number - 1], 1)
                            let isStored = try t.compareExchange(word, expected: 0, desired: number, store).exchanged
                            if !isStored { try t.free(objects[number - 1]) }
                            object = isStored ? number : try t.load(word, reference)
                        }
                        try use(t, object)
                        try letGo(t)
                    }
                ]
            )
        }
        let looker: Program.Thread = (
            "look",
            [
                { t in
                    var object = 0
                    for site in look {
                        object = try t.load(word, site)
                        if object == 0 { break }
                    }
                    if object != 0 { try use(t, object) }
                    try letGo(t)
                }
            ]
        )
        return Program(name, memory, look.isEmpty ? makers : [makers[0], looker] + [makers[1]]) { t in
            try t.check(t.ghost(destroyed) == 1, "the owner is not destroyed once")
            for (object, contents) in zip(objects, contents) {
                try t.check(t.read(contents) == 0 || t.isFreed(object), "an object is never released")
            }
        }
    }

    static var programs: [Program] {
        [
            program("once: two threads make the object", look: []),
            program("once: a setter looks", look: [isEmpty, reference]),
        ]
    }
}

/// `ObserverReference`: the memory is kept, the object asked for with a step of the runtime that fails once the last reference is gone.
///
/// The memory orders are the runtime's, and are in no file of the project.
struct ReferenceTranscript {
    private static let tryRetainLoad = Site("", "", "swift_tryRetain load", .relaxed)
    private static let tryRetain = Site("", "", "swift_tryRetain exchange", .relaxed)
    private static let release = Site("", "", "swift_release", .releasing)
    private static let atEnd = Site("", "", "fence before deinit", .acquiring)

    static var programs: [Program] {
        var memory = Memory()
        let references = memory.atomic("the observer's references", 1)
        let observer = memory.plain("the observer's properties", 1)
        let isDestroyed = memory.ghost()
        func letGo(_ t: ModelThread) throws {
            if try t.add(references, -1, release) > 1 { return }
            try t.fence(atEnd)
            try t.check(t.ghost(isDestroyed) == 0, "the observer is destroyed twice")
            try t.setGhost(isDestroyed, 1)
            try t.write(observer, 0)
        }
        let delivery: Program.Thread = (
            "delivery",
            [
                { t in
                    var current = try t.load(references, tryRetainLoad)
                    while current > 0 {
                        let (exchanged, original) = try t.compareExchange(references, expected: current, desired: current + 1, tryRetain)
                        if exchanged {
                            try t.check(t.read(observer) == 1, "a handler is called with an observer that is destroyed")
                            return try letGo(t)
                        }
                        current = original
                    }
                }
            ]
        )
        return [
            Program("reference: two deliveries and the last release", memory, [delivery, delivery, ("owner", [{ try letGo($0) }])]) { t in
                try t.check(t.ghost(isDestroyed) == 1, "the observer is never destroyed")
            }
        ]
    }
}
