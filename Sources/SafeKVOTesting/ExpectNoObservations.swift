public import SafeKVO

/// Checks that an object has no observations.
///
/// ```swift
/// room.leave(lamp)
/// try expectNoObservations(on: lamp)
/// ```
///
/// The check finds the observations of all controllers. It also finds the library's own observations, which it makes for key
/// paths that go through the object. To check that an object is deallocated, use a ``LifetimeTracker``.
///
/// - Parameters:
///   - object: The object to check.
///   - ignoringItself: `true` to ignore observations whose observer is the object itself. Such an object need not end them.
/// - Throws: An ``ObservationLeak`` with the observers and the source lines of their registrations.
public func expectNoObservations(
    on object: AnyObject, ignoringItself: Bool = false, fileID: StaticString = #fileID, line: UInt = #line
) throws(ObservationLeak) {
    var observations = ObservationDiagnostics.observations(of: object, includingDependencies: true)
    if ignoringItself { observations.removeAll { $0.observer == ObjectIdentifier(object) || $0.facts.isOfSameSubject } }
    if !observations.isEmpty { throw ObservationLeak(observations: observations, position: "\(fileID):\(line)") }
}

/// An error that says that an object still has observations.
public struct ObservationLeak: Error, CustomStringConvertible {
    /// The observations that the object still has.
    public let observations: [ObservationSnapshot]
    /// The source position of the failed call of ``expectNoObservations(on:ignoringItself:fileID:line:)``.
    public let position: String

    /// A text with one line for each observation, including the source line of its registration.
    public var description: String {
        """
        \(position): `expectNoObservations(on:)` failed: the object is observed. Unobserve it, or release the controllers of these observations:

        """ + observations.map { "  \($0)" }.joined(separator: "\n")
    }
}
