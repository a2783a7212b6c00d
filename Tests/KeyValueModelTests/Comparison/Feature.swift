import KeyValueModel

/// What can meet in one program, for the statistic.
enum Feature: Int, CaseIterable {
    // Of a key path.
    case manualHop, weakHop, constantHop, atomicHop, accessedHop
    case optionalCollection, returnedCollection, overridden
    case manualLeaf, accessedLeaf, atomicLeaf
    case declaredForStored, declaredForComputed
    case entireObject
    // Of an observation.
    case filteredValues, filteredChanges
    // Of a step.
    case pairInPairOfOneKey, pairsOfTwoKeys, settingHandler, batch
}

/// A set of features.
struct Features: Equatable {
    private var bits: UInt32 = 0

    init() {}

    init(_ features: [Feature]) {
        for feature in features { insert(feature) }
    }

    mutating func insert(_ feature: Feature) { bits |= 1 &<< UInt32(feature.rawValue) }

    mutating func formUnion(_ other: Features) { bits |= other.bits }

    func contains(_ feature: Feature) -> Bool { bits & (1 &<< UInt32(feature.rawValue)) != 0 }

    var isEmpty: Bool { bits == 0 }
}

extension Features {
    /// The features of an observation, which take part in each of its calls.
    init(_ observation: ModelObservation) {
        self.init(observation.key.features)
        if observation.removesDuplicates { insert(observation.form == .value ? .filteredValues : .filteredChanges) }
    }

    /// The features of a step, which take part in each call that it causes.
    init(_ step: Step, within enclosing: [Place] = []) {
        self.init()
        var enclosing = enclosing
        switch step {
        case .batch: insert(.batch)
        case .announce(let place, _), .pair(let place, _):
            if enclosing.contains(place) { insert(.pairInPairOfOneKey) }
            if enclosing.contains(where: { $0 != place }) { insert(.pairsOfTwoKeys) }
            enclosing.append(place)
        default: break
        }
        for inner in step.body { formUnion(Features(inner, within: enclosing)) }
    }
}

extension Key {
    /// The features of the key path.
    fileprivate var features: [Feature] {
        switch self {
        case .entire: [.entireObject]
        case .manual, .manualA, .manualItems, .manualInnerA, .innerManualA, .manualDouble: [.manualHop]
        case .manualLevel: [.manualHop, .atomicLeaf]
        case .manualText: [.manualHop, .accessedLeaf]
        case .manualFixedA: [.manualHop, .constantHop]
        case .manualAtomicA: [.manualHop, .atomicHop]
        case .manualAccessedA: [.manualHop, .accessedHop]
        case .weak, .weakA, .innerWeakA: [.weakHop]
        case .weakItems: [.weakHop, .optionalCollection]
        case .nextItems, .nextNextItems, .nextSet: [.optionalCollection]
        case .nextSame: [.optionalCollection, .returnedCollection]
        case .same, .innerSame, .bounded, .innerBounded: [.returnedCollection]
        case .fixedSame: [.constantHop, .returnedCollection]
        case .weakText: [.weakHop, .accessedLeaf]
        case .weakAtomicLevel: [.weakHop, .atomicHop, .atomicLeaf]
        case .weakFixedA: [.weakHop, .constantHop]
        case .accessed, .accessedA, .accessedAccessedA, .innerAccessedA, .accessedItems, .accessedItemsCount, .accessedDouble:
            [.accessedHop]
        case .accessedText: [.accessedHop, .accessedLeaf]
        case .atomic, .atomicA, .innerAtomicA, .atomicItems, .innerAtomicSet: [.atomicHop]
        case .atomicLevel: [.atomicHop, .atomicLeaf]
        case .atomicText: [.atomicHop, .accessedLeaf]
        case .fixedA, .innerFixedA, .fixedItems, .fixedItemsCount, .fixedSet, .innerFixedItems: [.constantHop]
        case .fixedLevel: [.constantHop, .atomicLeaf]
        case .fixedText: [.constantHop, .accessedLeaf]
        case .level, .innerLevel: [.atomicLeaf]
        case .text, .innerText, .partText: [.accessedLeaf]
        case .outside, .sum: [.manualLeaf]
        case .own: [.declaredForStored]
        case .shade, .width, .tags, .innerShade, .innerWidth, .innerTags: [.overridden]
        case .nextTags: [.overridden, .optionalCollection]
        case .label, .summary: [.declaredForComputed]
        default: []
        }
    }
}
