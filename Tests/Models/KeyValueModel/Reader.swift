/// Reads the object graph as the getters do, and notes every place that it reads.
struct Reader {
    let nodes: [Node]
    private(set) var read = Places()
    /// The property whose value the last getter has returned unchanged; nil if it has made another value.
    private(set) var source: Place?
    /// The empty collection from which the last getter has made an empty one; both may be the same reference.
    private(set) var lookalike: Place?

    init(_ nodes: [Node]) {
        self.nodes = nodes
    }

    private mutating func node(_ node: Int, _ property: Property) -> Node {
        let place = Place(node, property)
        read.insert(place)
        source = place
        return nodes[node]
    }

    mutating func a(_ node: Int) -> Int { self.node(node, .a).a }
    mutating func b(_ node: Int) -> Int { self.node(node, .b).b }
    mutating func quiet(_ node: Int) -> Int { self.node(node, .quiet).quiet }
    mutating func own(_ node: Int) -> Int { self.node(node, .own).own }
    mutating func shade(_ node: Int) -> Int { self.node(node, .shade).shade * (Node.overrides(node) ? 2 : 1) }
    mutating func width(_ node: Int) -> Int { self.node(node, .width).width + b(node) }
    mutating func tags(_ node: Int) -> [Int] { self.node(node, .tags).tags }
    mutating func level(_ node: Int) -> Int { self.node(node, .level).level }
    mutating func items(_ node: Int) -> [Int] { self.node(node, .items).items }
    mutating func set(_ node: Int) -> Set<Int> { self.node(node, .set).set }
    mutating func next(_ node: Int) -> Int? { self.node(node, .next).next }
    mutating func inner(_ node: Int) -> Int { self.node(node, .inner).inner }
    mutating func part(_ node: Int) -> Int { self.node(node, .part).part }
    mutating func atomic(_ node: Int) -> Int { self.node(node, .atomic).atomic }
    func fixed(_ node: Int) -> Int { nodes[node].fixed }
    func manual(_ node: Int) -> Int { nodes[node].manual }
    mutating func weak(_ node: Int) -> Int? { self.node(node, .weak).weak }
    mutating func accessed(_ node: Int) -> Int { self.node(node, .accessed).accessed }

    mutating func sum(_ node: Int) -> Int { a(node) + b(node) }
    mutating func doubleSum(_ node: Int) -> Int { sum(node) * 2 }
    mutating func choice(_ node: Int) -> Int { a(node) > 5 ? b(node) : a(inner(node)) }

    /// Computed over foreign state and `b`.
    mutating func outside(_ node: Int) -> Int { nodes[node].foreign * 100 + b(node) }

    /// Computed over foreign state; the getter says so.
    mutating func text(_ node: Int) -> Int { self.node(node, .text).foreign * 10 }

    mutating func sorted(_ node: Int) -> [Int] {
        let items = items(node)
        source = nil
        lookalike = items.isEmpty ? Place(node, .items) : nil
        return items.sorted()
    }

    mutating func bounded(_ node: Int) -> [Int] {
        let items = items(node)
        if items.count <= 2 { return items }
        source = nil
        return [77]
    }

    /// The value of a key that is observed: who observes a key hears its manual notifications, and what its class declares.
    mutating func value(of key: Key, _ node: Int) -> Value {
        switch key {
        case .entire: for property in Property.allCases { read.insert(Place(node, property)) }
        case .manual: read.insert(Place(node, .manual))
        case .outside: read.insert(Place(node, .outside))
        case .sum: read.insert(Place(node, .sum))
        case .own:
            _ = level(node)
            _ = text(manual(node))
        case .label:
            read.insert(Place(node, .outside))
            _ = outside(node)
            _ = b(inner(node))
        case .summary:
            _ = a(manual(node))
            _ = text(accessed(node))
            _ = weak(node).map { level($0) }
        // The getter calls `access(\.manual)`.
        case .manualDouble: read.insert(Place(node, .manual))
        default: break
        }
        return result(of: key, node)
    }

    /// What the getter of a key returns.
    private mutating func result(of key: Key, _ node: Int) -> Value {
        switch key {
        case .entire: return .node(node)
        case .a: return .int(a(node))
        case .b: return .int(b(node))
        case .quiet: return .int(quiet(node))
        case .shade: return .int(shade(node))
        case .width: return .int(width(node))
        case .tags: return .ints(tags(node))
        case .level: return .int(level(node))
        case .items: return .ints(items(node))
        case .set: return .intSet(set(node))
        case .itemsCount: return .int(items(node).count)
        case .itemsTotal: return .int(items(node).reduce(0, +))
        case .next: return next(node).map { .node($0) } ?? .none
        case .inner: return .node(inner(node))
        case .part: return .node(part(node))
        case .atomic: return .node(atomic(node))
        case .manual: return .node(manual(node))
        case .weak: return weak(node).map { .node($0) } ?? .none
        case .accessed: return .node(accessed(node))
        case .same: return .ints(items(node))
        case .sorted: return .ints(sorted(node))
        case .bounded: return .ints(bounded(node))
        case .outside: return .int(outside(node))
        case .text: return .int(text(node))
        case .sum: return .int(sum(node))
        case .own: return .int(own(node))
        case .doubleSum: return .int(doubleSum(node))
        case .diamond: return .int(sum(node) + doubleSum(node) + a(node))
        case .quietDouble: return .int(quiet(node) * 2)
        case .ownDouble: return .int(own(node) * 2)
        case .choice: return .int(choice(node))
        case .label: return .int(nodes[node].foreign * 1000 + a(node))
        case .summary: return .int(nodes[node].foreign * 1000 + b(node))
        case .manualDouble: return .int(a(manual(node)) * 2)
        case .accessedDouble: return .int(a(accessed(node)) * 2)
        case .fixedSame: return .ints(items(fixed(node)))
        default: return valueElsewhere(of: key, node)
        }
    }

    /// The value of a key that leads through other nodes.
    private mutating func valueElsewhere(of key: Key, _ node: Int) -> Value {
        switch key {
        case .nextA: return next(node).map { .int(a($0)) } ?? .none
        case .nextNextA: return next(node).flatMap { next($0) }.map { .int(a($0)) } ?? .none
        case .innerA: return .int(a(inner(node)))
        case .innerInnerA: return .int(a(inner(inner(node))))
        case .innerNextA: return next(inner(node)).map { .int(a($0)) } ?? .none
        case .partA: return .int(a(part(node)))
        case .innerPartA: return .int(a(part(inner(node))))
        case .innerQuiet: return .int(quiet(inner(node)))
        case .innerLevel: return .int(level(inner(node)))
        case .innerShade: return .int(shade(inner(node)))
        case .innerWidth: return .int(width(inner(node)))
        case .innerTags: return .ints(tags(inner(node)))
        case .nextTags: return next(node).map { .ints(tags($0)) } ?? .none
        case .innerSum: return .int(sum(inner(node)))
        case .innerChoice: return .int(choice(inner(node)))
        case .nextSum: return next(node).map { .int(sum($0)) } ?? .none
        case .innerOutside: return .int(outside(inner(node)))
        case .nextOutside: return next(node).map { .int(outside($0)) } ?? .none
        case .innerText: return .int(text(inner(node)))
        case .partText: return .int(text(part(node)))
        case .innerItems: return .ints(items(inner(node)))
        case .partItems: return .ints(items(part(node)))
        case .innerInnerItems: return .ints(items(inner(inner(node))))
        case .innerPartItems: return .ints(items(part(inner(node))))
        case .innerSet: return .intSet(set(inner(node)))
        case .partSet: return .intSet(set(part(node)))
        case .nextItems: return next(node).map { .ints(items($0)) } ?? .none
        case .nextNextItems: return next(node).flatMap { next($0) }.map { .ints(items($0)) } ?? .none
        case .nextSet: return next(node).map { .intSet(set($0)) } ?? .none
        case .innerSame: return .ints(items(inner(node)))
        case .nextSame: return next(node).map { .ints(items($0)) } ?? .none
        case .innerSorted: return .ints(sorted(inner(node)))
        case .innerBounded: return .ints(bounded(inner(node)))
        case .nextItemsCount: return next(node).map { .int(items($0).count) } ?? .none
        case .innerItemsCount: return .int(items(inner(node)).count)
        default: return valueOverPlainStorage(of: key, node)
        }
    }

    /// The value of a key that leads through a reference that is no plain observed property.
    private mutating func valueOverPlainStorage(of key: Key, _ node: Int) -> Value {
        switch key {
        case .manualA: return .int(a(manual(node)))
        case .manualLevel: return .int(level(manual(node)))
        case .manualText: return .int(text(manual(node)))
        case .manualItems: return .ints(items(manual(node)))
        case .manualInnerA: return .int(a(inner(manual(node))))
        case .innerManualA: return .int(a(manual(inner(node))))
        case .manualFixedA: return .int(a(fixed(manual(node))))
        case .manualAtomicA: return .int(a(atomic(manual(node))))
        case .manualAccessedA: return .int(a(accessed(manual(node))))
        case .weakA: return weak(node).map { .int(a($0)) } ?? .none
        case .weakText: return weak(node).map { .int(text($0)) } ?? .none
        case .innerWeakA: return weak(inner(node)).map { .int(a($0)) } ?? .none
        case .weakAtomicLevel: return weak(node).map { .int(level(atomic($0))) } ?? .none
        case .weakFixedA: return weak(node).map { .int(a(fixed($0))) } ?? .none
        case .weakItems: return weak(node).map { .ints(items($0)) } ?? .none
        case .accessedA: return .int(a(accessed(node)))
        case .accessedText: return .int(text(accessed(node)))
        case .accessedAccessedA: return .int(a(accessed(accessed(node))))
        case .innerAccessedA: return .int(a(accessed(inner(node))))
        case .accessedItems: return .ints(items(accessed(node)))
        case .accessedItemsCount: return .int(items(accessed(node)).count)
        case .atomicA: return .int(a(atomic(node)))
        case .atomicLevel: return .int(level(atomic(node)))
        case .atomicText: return .int(text(atomic(node)))
        case .innerAtomicA: return .int(a(atomic(inner(node))))
        case .atomicItems: return .ints(items(atomic(node)))
        case .innerAtomicSet: return .intSet(set(atomic(inner(node))))
        case .fixedA: return .int(a(fixed(node)))
        case .fixedLevel: return .int(level(fixed(node)))
        case .fixedText: return .int(text(fixed(node)))
        case .innerFixedA: return .int(a(fixed(inner(node))))
        case .fixedItems: return .ints(items(fixed(node)))
        case .fixedItemsCount: return .int(items(fixed(node)).count)
        case .fixedSet: return .intSet(set(fixed(node)))
        case .innerFixedItems: return .ints(items(fixed(inner(node))))
        default: preconditionFailure("A key that has no value: \(key).")
        }
    }
}

extension Reader {
    /// The value of a stored property.
    func value(at place: Place) -> Value? {
        guard let key = Key.allCases.first(where: { $0.stored == place.property }) else { return nil }
        var reader = self
        return reader.value(of: key, place.node)
    }
}
