/// An observed object that keeps observer lists itself; all other lists belong to an ``ObservationRecord``.
package protocol ListKeeper: AnyObject {
    /// All registrations in the lists that this object keeps.
    var keptInfos: [ObservationInfo] { get }
}

/// A *stand-in*: an object that represents an observed object whose class cannot store a registrar.
package protocol SubjectStandIn: ListKeeper {
    /// The observed object, or `nil` if that object is being deallocated.
    var object: AnyObject? { get }
    /// The record that holds all observations of the represented object.
    var record: ObservationRecord { get }
}

/// An object that creates the stand-ins of observed objects whose class cannot store a registrar, and finds them again.
package protocol StandInFinder: AnyObject, Sendable {
    /// Returns the stand-in that represents an object, or `nil` if the object has never been observed.
    func standIn(for object: AnyObject) -> (any SubjectStandIn)?
}

/// The ``StandInFinder`` objects that have created a stand-in for an observed object.
package final class StandInFinders: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `entries`. Finders that were loaded under the lock are released outside it.

    package static let shared = StandInFinders()

    private struct Entry {
        weak var finder: (any StandInFinder)?
    }

    private let lock = Lock()
    private var entries: [Entry] = []

    package func add(_ finder: any StandInFinder) {
        var present: [any StandInFinder] = []
        lock.withLock {
            present = entries.compactMap(\.finder)
            if present.contains(where: { $0 === finder }) { return }
            entries = (present + [finder]).map { Entry(finder: $0) }
        }
        withExtendedLifetime(present) {}
    }

    /// Returns the stand-ins that represent an object.
    ///
    /// Each finder returns at most one.
    func all(for object: AnyObject) -> [any SubjectStandIn] {
        lock.withLock { entries.compactMap(\.finder) }.compactMap { $0.standIn(for: object) }
    }
}
