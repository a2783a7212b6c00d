/// What a node of the object graph stores, or announces by hand.
package enum Property: Int, CaseIterable, Sendable {
    case a, items, set
    case b, quiet, next, inner, part
    /// The computed key over foreign state, which announces its changes by hand.
    case outside
    /// A computed key that is announced by hand besides what its getter reads.
    case sum

    /// `true` if it is not stored.
    var isComputed: Bool { self == .outside || self == .sum }
}
