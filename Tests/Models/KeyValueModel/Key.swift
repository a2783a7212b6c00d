/// The keys that can be observed: each stands for one key path.
package enum Key: String, CaseIterable, Sendable {
    /// `\.self`.
    case entire
    // Of every node.
    case a, items, set, level, text, itemsCount, itemsTotal
    // Overridden by the subclass, reading nothing else.
    case shade, tags
    /// Getters that return `items`, that return another array made from it, and that return `items` while it is short.
    case same, sorted, bounded
    // Stored, or announced manually.
    case b, quiet, next, inner, part, atomic, weak, outside
    /// Overridden by the subclass, reading `b` as well.
    case width
    /// Stored, and declared to depend on `level` and on `manual.text`.
    case own
    // References in plain storage, which are announced manually: without and with `access(_:)` in the getter.
    case manual, accessed
    // Computed.
    case sum, doubleSum, diamond, quietDouble, choice, ownDouble
    /// Foreign state and `a`, declared to depend on `outside` and on `inner.b`.
    case label
    /// Foreign state and `b`, declared to depend on `manual.a`, on `accessed.text` and on `weak?.level`.
    case summary
    /// Computed, through a reference in plain storage: with `access(_:)` in this getter, and in the reference's own.
    case manualDouble, accessedDouble
    /// A getter that returns the collection behind a constant.
    case fixedSame
    // Through other nodes: to a stored property, then to a computed one.
    case nextA, nextNextA, innerA, innerInnerA, innerNextA, partA, innerPartA, innerQuiet, innerLevel, innerShade, innerWidth
    case innerSum, innerChoice, nextSum
    // To what is announced manually.
    case innerOutside, nextOutside, innerText, partText
    // Through a reference that reports nothing.
    case manualA, manualLevel, manualText, manualItems, manualInnerA, innerManualA, manualFixedA, manualAtomicA, manualAccessedA
    // Through a weak reference.
    case weakA, weakText, innerWeakA, weakAtomicLevel, weakFixedA
    // Through a reference whose getter calls `access(_:)`.
    case accessedA, accessedText, accessedAccessedA, innerAccessedA, accessedItemsCount
    // Through an atomic reference.
    case atomicA, atomicLevel, atomicText, innerAtomicA
    // Through a constant.
    case fixedA, fixedLevel, fixedText, innerFixedA, fixedItemsCount
    // Plain chains to a collection.
    case innerItems, partItems, innerInnerItems, innerPartItems, innerSet, partSet
    case atomicItems, fixedItems, fixedSet, innerFixedItems, innerAtomicSet
    // To a collection that is overridden.
    case innerTags, nextTags
    // To a collection, but no plain chains.
    case nextItems, nextNextItems, nextSet, weakItems, accessedItems, innerSame, nextSame
    // To what is made from a collection.
    case nextItemsCount, innerItemsCount, innerSorted, innerBounded

    /// Whether nodes of the base class have it.
    package var isOfBase: Bool {
        switch self {
        case .a, .items, .set, .level, .text, .itemsCount, .itemsTotal, .shade, .tags, .same, .sorted, .bounded, .entire: true
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
        case .weak: .weak
        case .shade: .shade
        case .tags: .tags
        default: nil
        }
    }

    /// `true` if the new value of an assignment is compared with the old one before the change.
    ///
    /// Not of an atomic property, because another thread may write first, and not of an inherited one, because an override may do anything.
    package var isComparedBefore: Bool { stored != nil && !isOfBase && self != .atomic }

    /// The property that this key is, if a manual notification of it covers the changes of what the key depends on.
    var computed: Property? {
        switch self {
        case .outside: .outside
        case .sum: .sum
        case .text: .text
        case .own: .own
        case .manual: .manual
        case .accessed: .accessed
        default: nil
        }
    }

    /// `true` if it is a stored property, or leads to one over observed properties only, without an optional chain.
    var isPlainChain: Bool {
        switch self {
        case .innerA, .innerInnerA, .innerPartA, .innerAtomicA, .innerQuiet, .innerLevel, .partA, .atomicA, .atomicLevel: true
        case .innerItems, .partItems, .innerInnerItems, .innerPartItems, .innerSet, .partSet, .atomicItems, .innerAtomicSet: true
        default: stored != nil
        }
    }

    /// `true` if it leads over the reference of the observed node that reports nothing.
    var leadsOverManual: Bool {
        switch self {
        case .manualA, .manualLevel, .manualText, .manualItems, .manualInnerA, .manualFixedA, .manualAtomicA, .manualAccessedA: true
        default: false
        }
    }

    /// `true` if it leads over a reference that reports nothing to a collection.
    ///
    /// After an unreported change of the reference, nobody can know without an evaluation that the collection is not the value any more.
    package var isCollectionBehindUnreportedHop: Bool { self == .manualItems }
}
