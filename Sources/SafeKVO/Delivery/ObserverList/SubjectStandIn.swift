/// An observed object that keeps lists of observers itself, because its keys come and go.
package protocol ListKeeper: AnyObject {
    /// All infos in the lists that this object keeps; an *info* is one registration.
    var keptInfos: [ObservationInfo] { get }
}

/// A representative of an observed object that cannot store a registrar itself.
package protocol SubjectStandIn: ListKeeper {
    /// The observed object that this one represents; `nil` if it is being deallocated.
    var object: AnyObject? { get }
    /// The record that holds the observations of the represented object.
    var record: ObservationRecord { get }
}

/// An object that makes stand-ins: representatives of observed objects that cannot store a registrar themselves.
///
/// A function that concerns an observed object as a whole finds its stand-ins in this way.
package protocol StandInFinder: AnyObject, Sendable {
    /// Returns the stand-in that represents an object, or `nil` if the object has never been observed.
    func standIn(for object: AnyObject) -> (any SubjectStandIn)?
}

/// The finders that have made a stand-in; outside tests there is only one.
package final class StandInFinders: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `entries`. A finder that is loaded under the lock is released outside it.

    package static let shared = StandInFinders()

    private struct Entry {
        weak var finder: (any StandInFinder)?
    }

    private let lock = Lock()
    private var entries: [Entry] = []

    /// Adds a finder, unless it has been added before.
    package func add(_ finder: any StandInFinder) {
        var present: [any StandInFinder] = []
        lock.withLock {
            present = entries.compactMap(\.finder)
            if present.contains(where: { $0 === finder }) { return }
            entries = (present + [finder]).map { Entry(finder: $0) }
        }
        withExtendedLifetime(present) {}
    }

    /// Returns all stand-ins of an object.
    func all(for object: AnyObject) -> [any SubjectStandIn] {
        lock.withLock { entries.compactMap(\.finder) }.compactMap { $0.standIn(for: object) }
    }
}
