public import SafeKVO

/// Checks that nobody observes an object, nor follows it because a key path goes through it.
///
/// ```swift
/// room.leave(lamp)
/// try expectNoObservations(on: lamp)
/// ```
///
/// It looks where every observation of the object hangs, so nothing need be switched on before, and it does not matter who observes:
/// `ObservationDiagnostics.observations(of:includingDependencies:)`. An object that is gone is observed by nobody: whether it is gone
/// tells a ``LifetimeTracker``.
///
/// - Parameters:
///   - object: The object.
///   - fileID: Leave it out: it is where this is called.
///   - line: Leave it out: it is where this is called.
/// - Throws: an ``ObservationLeak`` that names the observers and the lines that registered them.
public func expectNoObservations(on object: AnyObject, fileID: StaticString = #fileID, line: UInt = #line) throws(ObservationLeak) {
    let observations = ObservationDiagnostics.observations(of: object, includingDependencies: true)
    if !observations.isEmpty { throw ObservationLeak(observations: observations, position: "\(fileID):\(line)") }
}

/// Observations that are left where there should be none.
public struct ObservationLeak: Error, CustomStringConvertible {
    /// What is left.
    public let observations: [ObservationSnapshot]
    /// Where it was looked for.
    public let position: String

    /// What is left, a line each, with the place where it was added.
    public var description: String {
        """
        \(position): `expectNoObservations(on:)` failed: the object is observed. Unobserve it, or release the controllers of these observations:

        """ + observations.map { "  \($0)" }.joined(separator: "\n")
    }
}
