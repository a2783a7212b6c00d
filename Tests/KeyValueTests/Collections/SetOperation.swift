import SafeKVO
import Testing

/// One thing to do to a set, and what is heard of it.
struct SetOperation: Sendable, CustomTestStringConvertible {
    typealias Tags = MutableSetValue<Shelf, Int>

    let name: String
    let start: Set<Int>
    let kind: KeyValueChangeKind
    /// What goes; nil if the change has no such side.
    let old: Set<Int>?
    /// What comes; nil if the change has no such side.
    let new: Set<Int>?
    let result: Set<Int>
    let run: @Sendable (Tags) -> Void

    var testDescription: String { "\(name) of \(start.sorted())" }

    private init(
        _ name: String, _ start: Set<Int>, _ kind: KeyValueChangeKind, _ old: Set<Int>?, _ new: Set<Int>?, _ result: Set<Int>,
        _ run: @escaping @Sendable (Tags) -> Void
    ) {
        self.name = name
        self.start = start
        self.kind = kind
        self.old = old
        self.new = new
        self.result = result
        self.run = run
    }

    /// What an observer hears that asked for these options: one call, or two with `.prior`.
    func expected(_ options: KeyValueObservingOptions, _ keyPath: AnyKeyPath) -> [KeyValueChange<Set<Int>>] {
        let old = options.contains(.old) ? old : nil
        let after = KeyValueChange(kind: kind, newValue: options.contains(.new) ? new : nil, oldValue: old)
        guard options.contains(.prior) else { return [after] }
        return [KeyValueChange(kind: kind, oldValue: old, isPrior: true), after]
    }

    static let all: [Self] = [
        Self("insert", [1, 2], .insertion, nil, [3], [1, 2, 3]) { $0.insert(3) },
        Self("insert into nothing", [], .insertion, nil, [3], [3]) { $0.insert(3) },
        Self("insert what is there", [1, 2], .insertion, nil, [], [1, 2]) { $0.insert(2) },
        Self("remove", [1, 2], .removal, [2], nil, [1]) { $0.remove(2) },
        Self("remove what is not there", [1, 2], .removal, [], nil, [1, 2]) { $0.remove(3) },
        Self("removeAll", [1, 2], .removal, [1, 2], nil, []) { $0.removeAll() },
        Self("removeAll keeping capacity", [1, 2], .removal, [1, 2], nil, []) { $0.removeAll(keepingCapacity: true) },
        Self("removeAll of nothing", [], .removal, [], nil, []) { $0.removeAll() },
        Self("formUnion", [1, 2], .insertion, nil, [3, 4], [1, 2, 3, 4]) { $0.formUnion([2, 3, 4, 4]) },
        Self("formUnion with what is there", [1, 2], .insertion, nil, [], [1, 2]) { $0.formUnion([2, 1]) },
        Self("formUnion with nothing", [1, 2], .insertion, nil, [], [1, 2]) { $0.formUnion([]) },
        Self("formUnion with itself", [1, 2], .insertion, nil, [], [1, 2]) { $0.formUnion($0) },
        Self("formUnion with what reads it", [1, 2], .insertion, nil, [3, 4], [1, 2, 3, 4]) { tags in
            tags.formUnion((1...2).lazy.map { $0 + tags.count })
        },
        Self("subtract", [1, 2, 3], .removal, [2, 3], nil, [1]) { $0.subtract([2, 3, 4, 3]) },
        Self("subtract what is not there", [1, 2], .removal, [], nil, [1, 2]) { $0.subtract(3...5) },
        Self("subtract itself", [1, 2], .removal, [1, 2], nil, []) { $0.subtract($0) },
        Self("formIntersection", [1, 2, 3], .removal, [1], nil, [2, 3]) { $0.formIntersection([2, 3, 4, 3]) },
        Self("formIntersection with more", [1, 2], .removal, [], nil, [1, 2]) { $0.formIntersection(0..<9) },
        Self("formIntersection with nothing", [1, 2], .removal, [1, 2], nil, []) { $0.formIntersection([]) },
        Self("set", [1, 2], .replacement, [1], [3, 4], [2, 3, 4]) { $0.set(to: [2, 3, 4, 3]) },
        Self("set to others", [1, 2], .replacement, [1, 2], [3], [3]) { $0.set(to: [3]) },
        Self("set to the same", [1, 2], .replacement, [], [], [1, 2]) { $0.set(to: [2, 1]) },
        Self("set to nothing", [1, 2], .replacement, [1, 2], [], []) { $0.set(to: []) },
        Self("set to itself", [1, 2], .replacement, [], [], [1, 2]) { $0.set(to: $0) },
        Self("change", [1, 2, 3], .setting, [1, 2, 3], [1, 4], [1, 4]) { $0.change { $0.formSymmetricDifference([2, 3, 4]) } },
        Self("change: nothing", [1, 2], .setting, [1, 2], [1, 2], [1, 2]) { $0.change { _ in } },
        Self("change: remove all", [1, 2], .setting, [1, 2], [], []) { $0.change { $0 = [] } },
        Self("change: fill what is empty", [], .setting, [], [1], [1]) { $0.change { $0.insert(1) } },
        Self("change: read it", [1, 2], .setting, [1, 2], [1, 2, 4], [1, 2, 4]) { tags in tags.change { $0.insert(tags.count + 2) } },
        Self("change: throw", [1, 2], .setting, [1, 2], [2], [2]) { tags in
            struct Failure: Error {}
            try? tags.change {
                $0.remove(1)
                throw Failure()
            }
        },
    ]
}
