/// Watches objects that should be gone by a certain point, and names the lines that made those which are not.
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
    /// A weak reference that may be looked at from any thread, which is all that happens to it.
    private struct Tracked: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) loading a weak reference is safe on any thread, and the object is not used.
        weak var object: AnyObject?
        let type: String
        let position: String
    }

    private let tracked = Guarded<[Tracked]>([])

    /// Makes a tracker that watches nothing.
    public init() {}

    /// Watches an object.
    ///
    /// - Parameters:
    ///   - object: The object. It is not retained.
    ///   - fileID: Where this is called.
    ///   - line: Where this is called.
    /// - Returns: the object.
    @discardableResult
    public func track<Object: AnyObject>(_ object: Object, fileID: StaticString = #fileID, line: UInt = #line) -> Object {
        let type = "\(Object.self)"
        let entry = Tracked(object: object, type: type, position: "\(fileID):\(line)")
        tracked.withLock { $0.append(entry) }
        return object
    }

    /// The objects that are still there, each with the line that tracked it.
    public var survivors: [String] {
        tracked.withLock { tracked in
            tracked.filter { $0.object != nil }.map { "\($0.type) tracked at \($0.position)" }
        }
    }

    /// Checks that every tracked object is gone.
    ///
    /// - Throws: a ``LifetimeLeak`` that names the survivors.
    public func expectAllGone() throws(LifetimeLeak) {
        let survivors = survivors
        if !survivors.isEmpty { throw LifetimeLeak(survivors: survivors) }
    }
}

/// Objects that outlived the point where they should have been gone.
public struct LifetimeLeak: Error, CustomStringConvertible {
    /// Each object's type, and the line that tracked it.
    public let survivors: [String]

    /// All survivors, a line each.
    public var description: String {
        """
        `LifetimeTracker.expectAllGone()` failed: objects are alive. Find out what retains them:

        """ + survivors.map { "  \($0)" }.joined(separator: "\n")
    }
}
