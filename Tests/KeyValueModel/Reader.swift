/// Reads the object graph as the getters do, and notes every place that it reads.
struct Reader {
    let nodes: [Node]
    private(set) var read = Places()

    init(_ nodes: [Node]) {
        self.nodes = nodes
    }

    private mutating func node(_ node: Int, _ property: Property) -> Node {
        read.insert(Place(node, property))
        return nodes[node]
    }

    mutating func a(_ node: Int) -> Int { self.node(node, .a).a }
    mutating func b(_ node: Int) -> Int { self.node(node, .b).b }
    mutating func quiet(_ node: Int) -> Int { self.node(node, .quiet).quiet }
    mutating func items(_ node: Int) -> [Int] { self.node(node, .items).items }
    mutating func set(_ node: Int) -> Set<Int> { self.node(node, .set).set }
    mutating func next(_ node: Int) -> Int? { self.node(node, .next).next }
    mutating func inner(_ node: Int) -> Int { self.node(node, .inner).inner }
    mutating func part(_ node: Int) -> Int { self.node(node, .part).part }

    mutating func sum(_ node: Int) -> Int { a(node) + b(node) }
    mutating func doubleSum(_ node: Int) -> Int { sum(node) * 2 }
    mutating func choice(_ node: Int) -> Int { a(node) > 5 ? b(node) : a(inner(node)) }

    /// Computed over foreign state and `b`.
    mutating func outside(_ node: Int) -> Int { nodes[node].foreign * 100 + b(node) }

    /// The value of a key.
    mutating func value(of key: Key, _ node: Int) -> Value {
        switch key {
        case .a: return .int(a(node))
        case .b: return .int(b(node))
        case .quiet: return .int(quiet(node))
        case .items: return .ints(items(node))
        case .set: return .intSet(set(node))
        case .itemsCount: return .int(items(node).count)
        case .itemsTotal: return .int(items(node).reduce(0, +))
        case .next: return next(node).map { .node($0) } ?? .none
        case .inner: return .node(inner(node))
        case .part: return .node(part(node))
        case .outside:
            read.insert(Place(node, .outside))
            return .int(outside(node))
        case .sum:
            read.insert(Place(node, .sum))
            return .int(sum(node))
        case .doubleSum: return .int(doubleSum(node))
        case .diamond: return .int(sum(node) + doubleSum(node) + a(node))
        case .quietDouble: return .int(quiet(node) * 2)
        case .choice: return .int(choice(node))
        case .label:
            read.insert(Place(node, .outside))
            _ = outside(node)
            _ = b(inner(node))
            return .int(nodes[node].foreign * 1000 + a(node))
        case .nextA: return next(node).map { .int(a($0)) } ?? .none
        case .nextNextA: return next(node).flatMap { next($0) }.map { .int(a($0)) } ?? .none
        case .innerA: return .int(a(inner(node)))
        case .innerInnerA: return .int(a(inner(inner(node))))
        case .innerNextA: return next(inner(node)).map { .int(a($0)) } ?? .none
        case .partA: return .int(a(part(node)))
        case .innerPartA: return .int(a(part(inner(node))))
        case .innerQuiet: return .int(quiet(inner(node)))
        case .innerSum:
            read.insert(Place(inner(node), .sum))
            return .int(sum(inner(node)))
        case .innerChoice: return .int(choice(inner(node)))
        case .nextSum:
            guard let next = next(node) else { return .none }
            read.insert(Place(next, .sum))
            return .int(sum(next))
        case .innerItems: return .ints(items(inner(node)))
        case .partItems: return .ints(items(part(node)))
        case .innerInnerItems: return .ints(items(inner(inner(node))))
        case .innerPartItems: return .ints(items(part(inner(node))))
        case .innerSet: return .intSet(set(inner(node)))
        case .partSet: return .intSet(set(part(node)))
        case .nextItems: return next(node).map { .ints(items($0)) } ?? .none
        case .nextItemsCount: return next(node).map { .int(items($0).count) } ?? .none
        case .innerItemsCount: return .int(items(inner(node)).count)
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
