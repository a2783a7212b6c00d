/// The keys that can be observed: each stands for one key path.
package enum Key: String, CaseIterable, Sendable {
    // Of every node.
    case a, items, set, itemsCount, itemsTotal
    // Stored, or announced by hand.
    case b, quiet, next, inner, part, outside
    // Computed.
    case sum, doubleSum, diamond, quietDouble, choice
    /// Foreign state and `a`, declared to depend on `outside` and on `inner.b`.
    case label
    // Through other nodes: to a stored property, then to a computed one.
    case nextA, nextNextA, innerA, innerInnerA, innerNextA, partA, innerPartA, innerQuiet
    case innerSum, innerChoice, nextSum
    // Plain chains to a collection.
    case innerItems, partItems, innerInnerItems, innerPartItems, innerSet, partSet
    // To and behind a collection, but no plain chains.
    case nextItems, nextItemsCount, innerItemsCount

    /// Whether nodes of the base class have it.
    package var isOfBase: Bool {
        switch self {
        case .a, .items, .set, .itemsCount, .itemsTotal: true
        default: false
        }
    }

    /// The stored property that this key is, if it is one.
    package var stored: Property? {
        switch self {
        case .a: .a
        case .items: .items
        case .set: .set
        case .b: .b
        case .quiet: .quiet
        case .next: .next
        case .inner: .inner
        case .part: .part
        default: nil
        }
    }

    /// The property of the computed key that this is, if that is announced by hand too.
    var computed: Property? {
        switch self {
        case .outside: .outside
        case .sum: .sum
        default: nil
        }
    }

    /// The hops of a plain chain of stored properties, and its last property.
    var chain: (hops: [Property], last: Property)? {
        switch self {
        case .innerA: ([.inner], .a)
        case .innerInnerA: ([.inner, .inner], .a)
        case .innerPartA: ([.inner, .part], .a)
        case .innerQuiet: ([.inner], .quiet)
        case .partA: ([.part], .a)
        case .innerItems: ([.inner], .items)
        case .partItems: ([.part], .items)
        case .innerInnerItems: ([.inner, .inner], .items)
        case .innerPartItems: ([.inner, .part], .items)
        case .innerSet: ([.inner], .set)
        case .partSet: ([.part], .set)
        default: stored.map { ([], $0) }
        }
    }
}
