/// The keys that can be observed: each stands for one key path.
package enum Key: String, CaseIterable, Sendable {
    // Of every node.
    case a, items, set, level, text, itemsCount, itemsTotal
    // Stored, or announced manually.
    case b, quiet, next, inner, part, atomic, outside
    /// Stored, and declared to depend on `level` and on `manual.text`.
    case own
    // References that are announced manually.
    case manual, weak, accessed
    // Computed.
    case sum, doubleSum, diamond, quietDouble, choice, ownDouble
    /// Foreign state and `a`, declared to depend on `outside` and on `inner.b`.
    case label
    /// Foreign state and `b`, declared to depend on `manual.a`, on `accessed.text` and on `weak?.level`.
    case summary
    /// Computed, through a reference that is announced manually: without and with `access(_:)`.
    case manualDouble, accessedDouble
    // Through other nodes: to a stored property, then to a computed one.
    case nextA, nextNextA, innerA, innerInnerA, innerNextA, partA, innerPartA, innerQuiet, innerLevel
    case innerSum, innerChoice, nextSum
    // To what is announced manually.
    case innerOutside, nextOutside, innerText, partText
    // Through a reference that is announced manually.
    case manualA, manualLevel, manualText, manualItems, manualInnerA, innerManualA, manualFixedA, manualAtomicA, manualAccessedA
    case weakA, weakText, innerWeakA, weakAtomicLevel, weakFixedA
    case accessedA, accessedText, accessedAccessedA, innerAccessedA, accessedItemsCount
    // Through an atomic reference.
    case atomicA, atomicLevel, atomicText, innerAtomicA
    // Through a constant.
    case fixedA, fixedLevel, fixedText, innerFixedA, fixedItemsCount
    // Plain chains to a collection.
    case innerItems, partItems, innerInnerItems, innerPartItems, innerSet, partSet
    case atomicItems, fixedItems, fixedSet, innerFixedItems, innerAtomicSet
    // To and behind a collection, but no plain chains.
    case nextItems, nextItemsCount, innerItemsCount

    /// Whether nodes of the base class have it.
    package var isOfBase: Bool {
        switch self {
        case .a, .items, .set, .level, .text, .itemsCount, .itemsTotal: true
        default: false
        }
    }

    /// The stored property that this key is, if it is one.
    package var stored: Property? {
        switch self {
        case .a: .a
        case .items: .items
        case .set: .set
        case .level: .level
        case .b: .b
        case .quiet: .quiet
        case .next: .next
        case .inner: .inner
        case .part: .part
        case .atomic: .atomic
        default: nil
        }
    }

    /// `true` if the new value of an assignment is compared with the old one before the change.
    ///
    /// Not of an atomic property: another thread may write first.
    package var isComparedBefore: Bool { stored != nil && self != .level && self != .atomic }

    /// The property that this key is, if a manual notification of it covers the changes of what the key depends on.
    var computed: Property? {
        switch self {
        case .outside: .outside
        case .sum: .sum
        case .text: .text
        case .own: .own
        case .manual: .manual
        case .weak: .weak
        case .accessed: .accessed
        default: nil
        }
    }

    /// `true` if it leads to a property of another node through a reference in plain storage.
    var leadsOverPlainStorage: Bool {
        switch self {
        case .manualA, .manualLevel, .manualInnerA, .innerManualA, .weakA, .innerWeakA, .accessedA, .innerAccessedA: true
        default: false
        }
    }

    /// The properties of which an announcement by hand may be told of this key, although it does not lead through them.
    ///
    /// Of what comes behind a `?`, and of what is hidden on both sides, only the type is known. Declared key paths count.
    package var undecidedHops: Set<Property> {
        switch self {
        case .manualA, .manualLevel, .manualText, .manualItems, .manualInnerA, .innerManualA, .manualFixedA, .manualAtomicA: [.accessed]
        case .manualAccessedA, .own, .ownDouble: [.accessed]
        case .weakA, .weakText, .innerWeakA, .weakAtomicLevel, .weakFixedA: Self.optionalReferences.union(Self.numbers)
        case .nextA, .nextNextA, .innerNextA, .nextSum, .nextOutside: Self.numbers
        case .summary: Self.optionalReferences.union(Self.numbers).union([.accessed])
        default: []
        }
    }

    private static let optionalReferences: Set<Property> = [.next, .inner]
    private static let numbers: Set<Property> = [.a, .b, .quiet, .own, .level, .outside, .text, .sum]

    /// The hops of a plain chain of stored properties, and its last property.
    var chain: (hops: [Property], last: Property)? {
        switch self {
        case .innerA: ([.inner], .a)
        case .innerInnerA: ([.inner, .inner], .a)
        case .innerPartA: ([.inner, .part], .a)
        case .innerAtomicA: ([.inner, .atomic], .a)
        case .innerFixedA: ([.inner, .fixed], .a)
        case .innerQuiet: ([.inner], .quiet)
        case .innerLevel: ([.inner], .level)
        case .partA: ([.part], .a)
        case .atomicA: ([.atomic], .a)
        case .atomicLevel: ([.atomic], .level)
        case .fixedA: ([.fixed], .a)
        case .fixedLevel: ([.fixed], .level)
        case .innerItems: ([.inner], .items)
        case .partItems: ([.part], .items)
        case .innerInnerItems: ([.inner, .inner], .items)
        case .innerPartItems: ([.inner, .part], .items)
        case .innerSet: ([.inner], .set)
        case .partSet: ([.part], .set)
        case .atomicItems: ([.atomic], .items)
        case .fixedItems: ([.fixed], .items)
        case .fixedSet: ([.fixed], .set)
        case .innerFixedItems: ([.inner, .fixed], .items)
        case .innerAtomicSet: ([.inner, .atomic], .set)
        default: stored.map { ([], $0) }
        }
    }
}
