import Foundation
import TestSupport

/// The operations of the participants of a concurrent program.
enum ConcurrentOperation: String, CaseIterable, Sendable {
    // Changes of what all share.
    case increment, assign, replacePart, announce, announceByToken, announceByPair, batch
    // Controllers that all share.
    case observe, observeMortal, act, unobserve, pause, invalidate, newViewer, sequence, observeOnActor
    // Looking.
    case askKeptChange, takeSnapshot, describeController, describeInfo
    /// The last reference to something is dropped, wherever that is.
    case drop
    // Operations of a region with its own objects.
    case change, changeInPlace, announceOwn, batchOwn, follow, nest
    case observeOwn, observeShared, observeLate, unobserveOwn, pauseOwn, invalidateOwn, newView, newModel
    case token, cancelToken, tokenOfJob, tokenOfSelf, freshValue, source, attach, track, newScreen
    // Actors.
    case newPlant

    /// Names of operations that are left out, separated by commas, so that one defect does not hide the others.
    private static let without = Set(
        ProcessInfo.processInfo.environment["SAFEKVO_CONCURRENT_WITHOUT"]?.split(separator: ",").map(String.init) ?? [])
    /// If it is set, only these are made, and what is needed for them to mean anything.
    private static let only = ProcessInfo.processInfo.environment["SAFEKVO_CONCURRENT_ONLY"].map {
        Set($0.split(separator: ",").map(String.init))
    }

    static let enabled = allCases.filter { !without.contains($0.rawValue) && (only?.contains($0.rawValue) ?? true) }

    /// Beside these on several threads, some counts and old values of derived and announced keys are not what rules 20a and 37 say.
    ///
    /// Programs with an even seed make them, and are not judged by these rules. All others leave them out, and are.
    static let open: Set<ConcurrentOperation> = [.batch, .announce, .announceByToken, .announceByPair]
    static let isStrict = ProcessInfo.processInfo.environment["SAFEKVO_CONCURRENT_STRICT"] != nil

    /// The operations of one program: about half of all, so that each pair of operations is alone with few others in some program.
    static func chosen(by random: inout SeededGenerator, leavesOutOpen: Bool) -> [ConcurrentOperation] {
        let enabled = leavesOutOpen ? enabled.filter { !open.contains($0) } : enabled
        let share = Int.random(in: 1...4, using: &random)
        let chosen = enabled.filter { _ in Int.random(in: 0..<4, using: &random) < share }
        return chosen.isEmpty ? enabled : chosen
    }
}
