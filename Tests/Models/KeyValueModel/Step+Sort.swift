extension Step {
    /// The sorts of steps, for the statistic.
    package enum Sort: String, CaseIterable, Sendable {
        case assignNumber, assignQuiet, assignPlain, assignReference, assignAtomic, assignItems, assignSet
        case inPlaceNumber, updateAtomic, inPlaceItems, inPlaceSet
        case proxyAppend, proxyInsert, proxyRemove, proxyRemoveAll, proxyReplace, proxySwap, proxyReplaceRange, proxyChange
        case proxyThroughReference
        case proxySetInsert, proxySetRemove, proxySetUnion, proxySetMinus, proxySetIntersect, proxySetReplace, proxySetChange
        case proxySetThroughReference
        case proxyOverridden
        case observe, observeValues, unobserve, unobserveNode, unobserveAll
        case batch, announce, announceItems, announceSet, announceOverridden, pair, didAlone, foreign, death

        /// Whether nobody may hear it.
        package var isSilent: Bool {
            switch self {
            case .assignQuiet, .assignPlain, .didAlone, .foreign, .death: true
            default: isRemoval
            }
        }

        /// Whether it removes observations, which is what it counts by.
        package var isRemoval: Bool {
            switch self {
            case .unobserve, .unobserveNode, .unobserveAll: true
            default: false
            }
        }
    }

    package var sort: Sort {
        switch self {
        case .assign(let assignment):
            switch assignment {
            case .a, .b, .own, .shade, .width: .assignNumber
            case .level, .atomic: .assignAtomic
            case .quiet: .assignQuiet
            case .manual, .accessed: .assignPlain
            case .next, .inner, .part, .weak: .assignReference
            case .items, .tags: .assignItems
            case .set: .assignSet
            }
        case .changeInPlace(let change):
            switch change {
            case .a: .inPlaceNumber
            case .level: .updateAtomic
            case .items, .tags: .inPlaceItems
            case .set: .inPlaceSet
            }
        case .editItems(_, .own, let edit):
            switch edit {
            case .append: .proxyAppend
            case .insert: .proxyInsert
            case .remove, .removeLast: .proxyRemove
            case .removeAll: .proxyRemoveAll
            case .replace: .proxyReplace
            case .swap: .proxySwap
            case .replaceRange: .proxyReplaceRange
            case .sort: .proxyChange
            }
        case .editItems: .proxyThroughReference
        case .editSet(_, .own, let edit):
            switch edit {
            case .insert: .proxySetInsert
            case .remove: .proxySetRemove
            case .union: .proxySetUnion
            case .minus: .proxySetMinus
            case .intersect: .proxySetIntersect
            case .replace: .proxySetReplace
            case .symmetricDifference: .proxySetChange
            }
        case .editSet: .proxySetThroughReference
        case .editTags: .proxyOverridden
        case .observe(let observation): observation.form == .value ? .observeValues : .observe
        case .unobserve: .unobserve
        case .unobserveNode: .unobserveNode
        case .unobserveAll: .unobserveAll
        case .batch: .batch
        case .announce: .announce
        case .announceItems: .announceItems
        case .announceTags: .announceOverridden
        case .announceSet: .announceSet
        case .pair: .pair
        case .didAlone: .didAlone
        case .foreign: .foreign
        case .death: .death
        }
    }
}
