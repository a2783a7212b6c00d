/// What is done to a set, announced by hand.
public enum KeyValueSetMutation: Sendable {
    /// Elements are added, as by `formUnion(_:)`.
    case union
    /// Elements are taken out, as by `subtract(_:)`.
    case minus
    /// Elements that are not among others are taken out, as by `formIntersection(_:)`.
    case intersect
    /// The set becomes another.
    case set
}
