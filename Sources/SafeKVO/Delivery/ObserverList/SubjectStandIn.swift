/// A subject that keeps lists of observers itself, because their keys come and go.
package protocol ListKeeper: AnyObject {
    /// All that hangs in those lists.
    var keptInfos: [ObservationInfo] { get }
}

/// A subject that stands for another object, one that cannot hold a registrar.
package protocol SubjectStandIn: ListKeeper {
    /// The object, unless it is being destroyed.
    var object: AnyObject? { get }
    /// The record that keeps the object's observers.
    var record: ObservationRecord { get }
}

/// Whatever makes stand-ins for objects, so that what concerns an object as a whole finds them.
package protocol StandInFinder: AnyObject, Sendable {
    /// The object that stands for another one, if that was ever observed.
    func standIn(for object: AnyObject) -> (any SubjectStandIn)?
}

/// The finders that have ever made a stand-in: one, outside tests.
package final class StandInFinders: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `entries` belongs to `lock`. What is loaded inside is let go of outside.

    package static let shared = StandInFinders()

    private struct Entry {
        weak var finder: (any StandInFinder)?
    }

    private let lock = Lock()
    private var entries: [Entry] = []

    /// Adds a finder, unless it is there.
    package func add(_ finder: any StandInFinder) {
        var present: [any StandInFinder] = []
        lock.withLock {
            present = entries.compactMap(\.finder)
            if present.contains(where: { $0 === finder }) { return }
            entries = (present + [finder]).map { Entry(finder: $0) }
        }
        withExtendedLifetime(present) {}
    }

    /// All that stand for an object.
    func all(for object: AnyObject) -> [any SubjectStandIn] {
        lock.withLock { entries.compactMap(\.finder) }.compactMap { $0.standIn(for: object) }
    }
}
