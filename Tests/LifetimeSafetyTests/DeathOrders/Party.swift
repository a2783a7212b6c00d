/// What an observation depends on, and what can go or be taken away.
enum Party: String, CaseIterable, Sendable {
    case observer, controller, subject
    /// What the handler captured: the test's own reference to it.
    case capture
    /// The registrations under the tag: both are removed.
    case tag
    /// The object in the middle of the path.
    case middle

    /// Every order of the given parties.
    static func orders(of parties: [Party]) -> [[Party]] {
        guard parties.count > 1 else { return [parties] }
        return parties.flatMap { first in orders(of: parties.filter { $0 != first }).map { [first] + $0 } }
    }
}
