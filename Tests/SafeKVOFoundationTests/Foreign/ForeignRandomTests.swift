import CocoaDouble
import SafeKVO
import SafeKVOFoundation
import TestSupport
import Testing

/// A hundred thousand random steps, with every misuse that a program can commit through the controller, raise nothing.
@Suite struct ForeignRandomTests {
    /// An object that observes others and itself.
    final class Node: CocoaObject, AutomaticObserver, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread uses it.
        let observationSlot = ObservationSlot()

        init(_ runtime: CocoaRuntime) {
            super.init(runtime, ["a": 0, "list": [1, 2, 3], "next": nil, "array": CocoaArray(runtime, ["a": 0])])
        }

        deinit { set(1, forKey: "a") }

        override var computedKeys: Set<String> { ["sum"] }

        override func computedValue(forKey key: String) -> Any? { (value(forKey: "a") as? Int ?? 0) + 1 }

        override func keysAffectingValue(forKey key: String) -> Set<String> { key == "sum" ? ["a"] : [] }
    }

    /// What one run has.
    final class World {
        let runtime: CocoaRuntime
        var random: SeededGenerator
        var nodes: [Node?]
        var depth = 0
        var steps = 0
        var calls = 0
        /// Every object there ever was: two that observe each other, retaining, keep each other.
        private var all: [() -> Node?] = []
        private static let paths = ["a", "sum", "list", "next.a", "next.next.a", "array.a", "x", "next.x", "", "a.b", "next.list"]

        init(seed: UInt64, merges: Bool) {
            runtime = CocoaRuntime(mergesNestedChanges: merges)
            random = SeededGenerator(seed: seed)
            nodes = []
            nodes = (0..<5).map { _ in make() }
        }

        private func make() -> Node {
            let node = Node(runtime)
            all.append { [weak node] in node }
            return node
        }

        func any(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

        func step() {
            steps += 1
            let node = nodes[any(5)]
            let observations = nodes[any(5)].map { any(2) == 0 ? $0.observations : $0.nonRetainingObservations }
            let path = Self.paths[any(Self.paths.count)]
            let tag: ObservationTag? = any(3) == 0 ? "tag" : nil
            switch any(16) {
            case 0...4:
                let options = KeyValueObservingOptions(rawValue: UInt8(any(16)))
                observations?.observe(node, path, as: Any?.self, options: options, tag: tag) { [unowned self] _, _, _ in
                    calls += 1
                    // What handlers do is as random as the rest.
                    guard depth < 3, any(4) == 0 else { return }
                    depth += 1
                    step()
                    depth -= 1
                }
            case 5, 6: observations?.unobserve(node, path, tag: tag)
            case 7: observations?.unobserve(node)
            case 8: if any(3) == 0 { observations?.unobserveAll() }
            case 9: nodes[any(5)] = any(4) == 0 ? nil : make()
            case 10, 11: node?.set(any(10), forKey: "a")
            case 12: node?.set(nodes[any(5)].flatMap { other in any(3) == 0 || other === node ? nil : other }, forKey: "next")
            case 13: edit(node)
            case 14: node?.didChangeValue(forKey: "a")
            default:
                if any(2) == 0 { node?.willChangeValue(forKey: "a") } else { node?.store(any(10), forKey: "a") }
            }
        }

        /// An edit of the list, carried out or not, as announced or not.
        private func edit(_ node: Node?) {
            guard let node else { return }
            let kinds: [KeyValueChangeKind] = [.insertion, .removal, .replacement, .setting]
            let first = any(6)
            let indexes = RangeSet(first..<first + any(3))
            node.willChange(kinds[any(4)], valuesAt: any(5) == 0 ? nil : indexes, forKey: "list")
            node.store((0..<any(7)).map { $0 }, forKey: "list")
            if any(8) > 0 { node.didChange(kinds[any(4)], valuesAt: any(5) == 0 ? nil : indexes, forKey: "list") }
        }

        var livingCount: Int { all.count { $0() != nil } }

        /// Lets go of everything.
        func end() {
            for node in all.compactMap({ $0() }) {
                node.store(nil, forKey: "next")
                node.observations.unobserveAll()
                node.nonRetainingObservations.unobserveAll()
            }
            nodes = []
        }
    }

    @Test("Misused in every way, through the controller, Cocoa raises nothing, and no registration is left", arguments: [true, false])
    func nothingRaises(merges: Bool) {
        Warnings.listen()
        var (steps, calls, registrations) = (0, 0, 0)
        for seed in 0 as UInt64..<1000 {
            let world = World(seed: seed, merges: merges)
            while world.steps < 100 { world.step() }
            world.end()
            #expect(world.livingCount == 0)
            let runtime = world.runtime
            if runtime.exceptions != [] || runtime.registrations.made != runtime.registrations.ended {
                Issue.record("seed \(seed): \(runtime.exceptions), \(runtime.registrations)")
                return
            }
            steps += world.steps
            calls += world.calls
            registrations += runtime.registrations.made
        }
        print("Cocoa, misused: \(steps) steps, \(registrations) registrations, \(calls) calls, no exception")
        #expect(steps >= 100_000)
        #expect(registrations > 8_000)
        #expect(calls > 2_000)
    }
}
