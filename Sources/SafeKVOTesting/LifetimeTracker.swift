/// A checker that reports objects which are still alive when they should be deallocated.
///
/// ```swift
/// let tracker = LifetimeTracker()
/// do {
///     let clock = tracker.track(WallClock())
///     …
/// }
/// try tracker.expectAllGone()
/// ```
public final class LifetimeTracker: Sendable {
    private struct Tracked: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) Any thread may read a weak reference that is never written again. The object itself is
        // not used.
        weak var object: AnyObject?
        let type: String
        let position: String
    }

    private let tracked = Guarded<[Tracked]>([])

    /// Makes a tracker that tracks no objects yet.
    public init() {}

    /// Adds an object to the tracked objects, without retaining it, and returns the object.
    @discardableResult
    public func track<Object: AnyObject>(_ object: Object, fileID: StaticString = #fileID, line: UInt = #line) -> Object {
        let type = "\(Object.self)"
        let entry = Tracked(object: object, type: type, position: "\(fileID):\(line)")
        tracked.withLock { $0.append(entry) }
        return object
    }

    /// The types of the tracked objects that are still alive, with the source lines that tracked them.
    public var survivors: [String] {
        tracked.withLock { tracked in
            tracked.filter { $0.object != nil }.map { "\($0.type) tracked at \($0.position)" }
        }
    }

    /// Checks that every tracked object is deallocated.
    ///
    /// - Throws: A ``LifetimeLeak`` with the objects that are still alive.
    public func expectAllGone() throws(LifetimeLeak) {
        let survivors = survivors
        if !survivors.isEmpty { throw LifetimeLeak(survivors: survivors) }
    }
}

/// An error that says that tracked objects are still alive.
public struct LifetimeLeak: Error, CustomStringConvertible {
    /// The types of the objects that are still alive, with the source lines that tracked them.
    public let survivors: [String]

    /// A text with one line for each object that is still alive.
    public var description: String {
        """
        `LifetimeTracker.expectAllGone()` failed: objects are alive. Find out what retains them:

        """ + survivors.map { "  \($0)" }.joined(separator: "\n")
    }
}
