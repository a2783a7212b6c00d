import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

@testable import SafeKVO

/// The token that Swift keeps for the objects that were read in a tracked read.
@Suite struct TrackingTokenTests {
    /// An owner that is retained by its token only, and that logs where it is notified and released.
    private final class Owner: TrackingOwner {
        let isDropping: @Sendable () -> Bool
        let log: EventLog<String>

        init(_ log: EventLog<String>, isDropping: @escaping @Sendable () -> Bool) {
            (self.log, self.isDropping) = (log, isDropping)
        }

        deinit { log.append(isDropping() ? "released by the token" : "released") }

        func changeWillCome(_ reading: UInt64) { log.append("change \(reading)") }

        func trackedObjectsDidDie(_ reading: UInt64) { log.append(isDropping() ? "told by the token" : "told \(reading)") }
    }

    /// `true` on the thread that drops the token, while it does so.
    @TaskLocal private static var isDropping = false

    @Test("The thread that releases the objects neither notifies the token's owner nor releases it")
    func theTokenReleasesNothing() async throws {
        let log = EventLog<String>()
        var token: TrackingToken? = TrackingToken(Owner(log) { Self.isDropping }, reading: 7)
        var call = token?.arm()
        withExtendedLifetime(call) {}
        Self.$isDropping.withValue(true) { (call, token) = (nil, nil) }
        await until { log.events.count >= 2 }
        try log.expect(["told 7", "released"])
    }

    @Test("A token that has told of a change tells nothing when the objects are deallocated")
    func theTokenTellsOnce() throws {
        let log = EventLog<String>()
        var token: TrackingToken? = TrackingToken(Owner(log) { Self.isDropping }, reading: 7)
        var call = token?.arm()
        call?()
        call?()
        Self.$isDropping.withValue(true) { (call, token) = (nil, nil) }
        try log.expect(["change 7", "released"])
    }
}
