import SafeKVOTesting
import Testing

@Suite struct LifetimeTrackerTests {
    final class Thing {}
    struct Generic {
        final class Box<Value> {}
    }

    @Test func aTrackerGivesTheObjectBackAndDoesNotRetainIt() throws {
        let tracker = LifetimeTracker()
        let thing = Thing()
        #expect(tracker.track(thing) === thing)
        weak var released: Thing?
        do { released = tracker.track(Thing()) }
        #expect(released == nil)
    }

    @Test func objectsThatAreGoneAreNoLeak() throws {
        let tracker = LifetimeTracker()
        try tracker.expectAllGone()
        _ = tracker.track(Thing())
        try tracker.expectAllGone()
        #expect(tracker.survivors == [])
    }

    @Test func survivorsAreNamedWithTheLineThatTrackedThem() throws {
        let tracker = LifetimeTracker()
        let thing = tracker.track(Thing(), fileID: "Module/File.swift", line: 3)
        _ = tracker.track(Thing(), fileID: "Module/File.swift", line: 4)
        let line: UInt = #line + 1
        let box = tracker.track(Generic.Box<Int>())
        try withExtendedLifetime((thing, box)) {
            let leak = try #require(throws: LifetimeLeak.self) { try tracker.expectAllGone() }
            #expect(
                leak.survivors == [
                    "Thing tracked at Module/File.swift:3", "Box<Int> tracked at SafeKVOTestingTests/LifetimeTrackerTests.swift:\(line)",
                ])
            #expect(
                leak.description == """
                    `LifetimeTracker.expectAllGone()` failed: objects are alive. Find out what retains them:
                      Thing tracked at Module/File.swift:3
                      Box<Int> tracked at SafeKVOTestingTests/LifetimeTrackerTests.swift:\(line)
                    """)
        }
    }

    @Test func aCycleIsALeakUntilItIsBroken() throws {
        final class Node {
            var other: Node?
        }
        let tracker = LifetimeTracker()
        var node: Node? = tracker.track(Node())
        node?.other = node
        weak let cycle = node
        node = nil
        #expect(throws: LifetimeLeak.self) { try tracker.expectAllGone() }
        cycle?.other = nil
        try tracker.expectAllGone()
    }
}
