import KeyValueModel

/// Makes programs of random steps.
struct Generator {
    private var random: SplitMix64
    /// The observations made so far, of which some have gone.
    private var made: [ModelObservation] = []
    /// The observation whose handler removes the next one, which must be of the same key: between keys the order of calls is not decided.
    private var remover: ModelObservation?
    /// The observation whose handler sets a property, and is followed by another one of the same key.
    private var setter: ModelObservation?
    /// How many of 100 handlers set a property.
    private static let settingHandlers = 22
    /// The places of the announcements that the step is inside of.
    private var enclosing: [Place] = []
    private var isInBatch = false
    /// `true` if there is a node that dies.
    private let hasDeaths: Bool

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        hasDeaths = random.chance(50)
    }

    /// A program: some observations first, then steps of all sorts.
    static func program(seed: UInt64, length: Int) -> [Step] {
        var generator = Generator(seed: seed)
        return (0..<length).map { index in index < 6 ? generator.observe() : generator.step() }
    }

    private mutating func step() -> Step {
        switch random.below(100) {
        case ..<14: observe()
        case ..<20: unobserve()
        case ..<22:
            random.chance(60) ? .unobserveNode(controller: controller(), anyNode()) : .unobserveAll(controller: controller())
        case ..<30: .batch(body(1...5, inBatch: true))
        case ..<38: announcement()
        default: change()
        }
    }

    /// A step inside another.
    private mutating func innerStep() -> Step {
        switch random.below(100) {
        case ..<6: observe()
        case ..<11: unobserve()
        case ..<16: .batch(body(0...3, inBatch: true))
        case ..<24: announcement()
        case ..<50 where enclosing.contains { !$0.property.decidesDependencies }:
            own(random.pick(enclosing.filter { !$0.property.decidesDependencies }))
        default: change()
        }
    }

    /// A change; inside an announcement, none that decides who depends on what.
    ///
    /// The rules do not say whether who depends on a place at its will call and not at its did call, or the reverse, hears of it.
    private mutating func change() -> Step {
        while true {
            let step = anyChange()
            if enclosing.isEmpty || step.place?.property.decidesDependencies != true { return step }
        }
    }

    private mutating func body(_ lengths: ClosedRange<Int>, inBatch: Bool = false) -> [Step] {
        let length = lengths.lowerBound + random.below(lengths.count)
        let outer = isInBatch
        isInBatch = isInBatch || inBatch
        defer { isInBatch = outer }
        // Depth costs steps.
        return (0..<length).map { _ in enclosing.count > 1 && inBatch ? change() : innerStep() }
    }

    // MARK: Observing

    private mutating func observe() -> Step {
        // The one that may be removed is made where its key may be observed.
        if remover != nil, !enclosing.isEmpty { return change() }
        return .observe(observation(ofKey: nil))
    }

    private mutating func observation(ofKey like: ModelObservation?) -> ModelObservation {
        let follows = like == nil && remover == nil && !isInBatch && enclosing.isEmpty && setter != nil
        let same =
            like ?? remover ?? (follows ? setter : nil)
            ?? (!isInBatch && random.chance(30) && !made.isEmpty ? random.pick(Array(made.suffix(8))) : nil)
        remover = nil
        if follows { setter = nil }
        let node = same?.node ?? anyNode()
        let key = same?.key ?? random.pick(keys(of: node))
        var options = Options(rawValue: UInt8(random.below(16)))
        let isValueForm = random.chance(follows ? 60 : 20)
        var removesDuplicates = random.chance(25)
        // Once the reference has been replaced, the value before a change cannot be known without an evaluation.
        if key.isCollectionBehindUnreportedHop {
            options.subtract([.prior, .old])
            if !isValueForm { removesDuplicates = false }
        }
        // Who compares values keeps the last one alive.
        if hasDeaths, key == .weak { removesDuplicates = false }
        let id = made.count
        let observation = ModelObservation(
            id, node, key, options, controller: controller(), form: isValueForm ? .value : .change,
            removesDuplicates: removesDuplicates, isSpelledByBase: random.chance(20),
            reaction: like == nil ? reaction(node, key, maybeInPriorPhase: key.isComparedBefore || !removesDuplicates) : .none)
        // What a reaction adds has been made meanwhile.
        let renumbered = observation.numbered(made.count)
        if case .removes(made.count + 1, _) = renumbered.reaction { remover = renumbered }
        if case .sets(_, inPriorPhase: false) = renumbered.reaction, random.chance(60) { setter = renumbered }
        made.append(renumbered)
        return renumbered
    }

    private static let keysOfAll = Key.allCases.filter(\.isOfBase)

    /// Those with declared dependencies and those that are overridden are rarer than other kinds, and change more rarely.
    private static let keysOfSubjects = Key.allCases + [.entire, .own, .own, .own, .label, .summary, .shade, .shade, .tags]

    private func keys(of node: Int) -> [Key] {
        node < Node.subjects ? Self.keysOfSubjects : Self.keysOfAll
    }

    /// What a handler does; in a prior call only if that call is certain to come.
    private mutating func reaction(_ node: Int, _ key: Key, maybeInPriorPhase: Bool) -> Reaction {
        let inPriorPhase = maybeInPriorPhase && random.chance(40)
        if random.chance(Self.settingHandlers) { return .sets(setting(node, key), inPriorPhase: maybeInPriorPhase && random.chance(20)) }
        guard random.chance(15) else { return .none }
        let others = made.filter { $0.node == node && $0.key == key }
        switch random.below(3) {
        case 0: return .removesItself(inPriorPhase: inPriorPhase)
        // The one after it will be made later, or never.
        case 1: return .removes(others.isEmpty || random.chance(50) ? made.count + 1 : random.pick(others).id, inPriorPhase: inPriorPhase)
        default: return .adds(observation(ofKey: ModelObservation(0, node, key)), inPriorPhase: inPriorPhase)
        }
    }

    /// What a handler sets: mostly what the observed key depends on, or another property of the node.
    private mutating func setting(_ node: Int, _ key: Key) -> Assignment {
        let near = random.chance(60) ? node : anyNode()
        if random.chance(50) {
            let isSubject = node < Node.subjects
            switch key {
            case .level, .innerLevel, .atomicLevel, .manualLevel, .fixedLevel, .weakAtomicLevel: return .level(near, random.below(4))
            case .shade, .innerShade: return .shade(near, random.below(4))
            case .width where isSubject: return .width(node, random.below(4))
            case .own where isSubject, .ownDouble where isSubject: return .own(node, random.below(4))
            case .b where isSubject, .outside where isSubject, .summary where isSubject: return .b(node, random.below(4))
            case .a, .sum, .doubleSum, .diamond, .choice, .label: return .a(node, random.below(10))
            default: return .a(near, random.below(10))
            }
        }
        if random.chance(20) { return .own(subject(), random.below(4)) }
        switch random.below(3) {
        case 0: return .a(near, random.below(10))
        case 1: return .level(near, random.below(4))
        default: return .b(near < Node.subjects ? near : subject(), random.below(4))
        }
    }

    private mutating func unobserve() -> Step {
        .unobserve(max(0, made.count - 1 - random.below(10)))
    }

    private mutating func controller() -> Int { random.below(LiveProgram.controllerCount) }

    // MARK: Changing

    private mutating func anyChange() -> Step {
        switch random.below(100) {
        case ..<18: .assign(number())
        case ..<36: .assign(reference())
        case ..<38: unreported()
        // In a batch, the rules do not say whether what nobody announces after an announced change is told at the end.
        case ..<41 where !isInBatch: .assign(.quiet(subject(), random.below(4)))
        case ..<44 where !isInBatch: .foreign(anyNode(), random.below(4))
        case ..<46: .assign(.items(anyNode(), ints(3)))
        case ..<50: tags()
        case ..<54: .assign(.set(anyNode(), members()))
        case ..<58: .changeInPlace(random.chance(50) ? .a(anyNode(), random.below(4)) : .level(anyNode(), random.below(4)))
        case ..<63: .changeInPlace(.items(anyNode(), arrayEdit()))
        case ..<66: .changeInPlace(.set(anyNode(), setEdit()))
        case ..<84: editItems()
        case ..<96: editSet()
        // Inside an announcement it would end that.
        default:
            enclosing.isEmpty ? .didAlone(Place(subject(), random.pick([.a, .b, .quiet, .outside, .items, .manual, .text]))) : .batch([])
        }
    }

    /// A change that nobody reports, of what decides who depends on what.
    private mutating func unreported() -> Step {
        // In a batch, the rules do not say whether it counts for what was changed before.
        if isInBatch || !enclosing.isEmpty { return .batch([]) }
        return hasDeaths && random.chance(50) ? .death : .assign(.manual(subject(), subject()))
    }

    private mutating func reference() -> Assignment {
        switch random.below(5) {
        case 0: .next(subject(), random.chance(30) ? nil : subject())
        case 1: .inner(subject(), subject())
        case 2: .atomic(subject(), anyNode())
        case 3: .weak(subject(), weakTarget())
        default: .part(subject(), anyNode())
        }
    }

    private mutating func weakTarget() -> Int? {
        switch random.below(10) {
        case ..<2: nil
        case ..<5 where hasDeaths: Node.mortal
        default: subject()
        }
    }

    private mutating func number() -> Assignment {
        switch random.below(13) {
        case ..<5: .a(anyNode(), random.below(10))
        case ..<7: .b(subject(), random.below(4))
        case ..<8: .own(subject(), random.below(4))
        case ..<9: .shade(anyNode(), random.below(4))
        case ..<10: .width(subject(), random.below(4))
        case ..<11 where hasDeaths: .a(Node.mortal, random.below(10))
        default: .level(anyNode(), random.below(4))
        }
    }

    /// Those through other nodes.
    private static let routes = Route.allCases.filter { $0 != .own }

    private mutating func editItems() -> Step {
        let route: Route = random.chance(75) ? .own : random.pick(Self.routes)
        return .editItems(route == .own ? anyNode() : subject(), route, arrayEdit())
    }

    private mutating func editSet() -> Step {
        let route: Route = random.chance(75) ? .own : random.pick(Self.routes)
        return .editSet(route == .own ? anyNode() : subject(), route, setEdit())
    }

    /// A change of the array that is overridden.
    private mutating func tags() -> Step {
        switch random.below(4) {
        case 0: .assign(.tags(anyNode(), ints(6)))
        case 1: .changeInPlace(.tags(anyNode(), arrayEdit()))
        default: .editTags(subject(), arrayEdit())
        }
    }

    private mutating func arrayEdit() -> ArrayEdit {
        switch random.below(11) {
        case 0, 1: .append(ints(3))
        case 2, 3: .insert(ints(3), at: random.below(6))
        case 4: .remove(at: random.below(6))
        case 5: .removeLast
        case 6: random.chance(40) ? .removeAll : .append([random.below(10)])
        case 7: .replace(at: random.below(6), with: random.below(4))
        case 8: .swap(random.below(6), random.below(6))
        case 9: .sort
        default: .replaceRange(at: random.below(6), length: random.below(3), with: ints(3))
        }
    }

    private mutating func setEdit() -> SetEdit {
        switch random.below(7) {
        case 0: .insert(random.below(5))
        case 1: .remove(random.below(5))
        case 2: .union(members())
        case 3: .minus(members())
        case 4: .intersect(members())
        case 5: .symmetricDifference(members())
        default: .replace(members())
        }
    }

    // MARK: Announcing by hand

    private mutating func announcement() -> Step {
        switch random.below(10) {
        case 0, 1: return random.chance(30) ? .announceTags(subject(), arrayEdit()) : .announceItems(anyNode(), arrayEdit())
        case 2, 3: return .announceSet(anyNode(), setEdit())
        case 4, 5:
            let deciding: [Property] = enclosing.isEmpty ? [.a, .next, .manual, .weak, .accessed] : []
            let properties: [Property] = [.b, .quiet, .outside, .items, .own, .level, .text, .shade, .tags]
            let place = Place(subject(), random.pick(properties + deciding))
            return .pair(place, body(of: place))
        default:
            let deciding: [Property] =
                enclosing.isEmpty ? [.a, .next, .inner, .part, .atomic, .manual, .manual, .weak, .weak, .accessed, .accessed] : []
            let others: [Property] = [
                .b, .quiet, .quiet, .outside, .outside, .items, .set, .sum, .own, .level, .text, .text, .shade, .tags,
            ]
            let property = random.pick(others + deciding)
            let place = Place(property == .text ? anyNode() : subject(), property)
            return .announce(place, body(of: place))
        }
    }

    /// Steps inside an announcement.
    ///
    /// If the place decides who depends on what, it changes last, for the same reason.
    private mutating func body(of place: Place) -> [Step] {
        enclosing.append(place)
        defer { enclosing.removeLast() }
        let steps = body(0...2)
        if !place.property.decidesDependencies || place.property == .manual && isInBatch { return steps }
        return steps
            + (0..<random.below(3)).map { _ in
                let step = own(place)
                return random.chance(25) ? .announce(place, [step]) : step
            }
    }

    /// A change of the place itself.
    private mutating func own(_ place: Place) -> Step {
        switch place.property {
        case .a: random.chance(70) ? .assign(.a(place.node, random.below(10))) : .changeInPlace(.a(place.node, 1))
        case .b: .assign(.b(place.node, random.below(4)))
        case .quiet: .assign(.quiet(place.node, random.below(4)))
        case .level: .assign(.level(place.node, random.below(4)))
        case .own: .assign(.own(place.node, random.below(4)))
        case .shade: .assign(.shade(place.node, random.below(4)))
        case .width: .assign(.width(place.node, random.below(4)))
        case .tags: random.chance(50) ? .editTags(place.node, arrayEdit()) : .assign(.tags(place.node, ints(6)))
        case .atomic: .assign(.atomic(place.node, anyNode()))
        case .fixed: .batch([])
        case .manual: .assign(.manual(place.node, subject()))
        case .weak: .assign(.weak(place.node, weakTarget()))
        case .accessed: .assign(.accessed(place.node, subject()))
        case .sum: .assign(.b(place.node, random.below(4)))
        // In a batch, others that have been announced may use the foreign state, too.
        case .outside where isInBatch: .assign(.b(place.node, random.below(4)))
        case .outside, .text: .foreign(place.node, random.below(4))
        case .next: .assign(.next(place.node, subject()))
        case .inner: .assign(.inner(place.node, subject()))
        case .part: .assign(.part(place.node, anyNode()))
        case .items: random.chance(50) ? .editItems(place.node, .own, arrayEdit()) : .changeInPlace(.items(place.node, arrayEdit()))
        case .set: random.chance(50) ? .editSet(place.node, .own, setEdit()) : .assign(.set(place.node, members()))
        }
    }

    // MARK: Values

    private mutating func subject() -> Int { random.below(Node.subjects) }

    private mutating func anyNode() -> Int { random.chance(60) ? subject() : random.below(Node.count) }

    private mutating func ints(_ limit: Int) -> [Int] { (0..<random.below(limit + 1)).map { _ in random.below(4) } }

    private mutating func members() -> Set<Int> { Set((0..<random.below(4)).map { _ in random.below(5) }) }
}

extension Step {
    /// The place that the step changes by the property's own means.
    fileprivate var place: Place? {
        switch self {
        case .assign(let assignment): assignment.place
        case .changeInPlace(let change): change.place
        default: nil
        }
    }
}
