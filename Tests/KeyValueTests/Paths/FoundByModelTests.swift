import SafeKVO
import Testing

/// Programs that the comparison with the model found, cut down to what they need.
@Suite struct FoundByModelTests {
    class Base: KeyValueObject {
        var file = 0
        var text: Int {
            access(\.text)
            return file * 10
        }
    }

    final class Node: Base {
        @Observed var a: Int
        @Observed var level = 0
        @Observed var own = 0
        @Observed var inner: Node?
        var storage: Node?
        var manual: Node? {
            access(\.manual)
            return storage
        }
        var summary: Int { file * 1000 }
        var ownDouble: Int { own * 2 }

        init(_ a: Int) {
            self.a = a
        }

        override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            switch key {
            case \Node.summary: [\Node.manual?.a]
            case \Node.own: [\Node.level]
            default: []
            }
        }
    }

    final class Observer {
        var calls: [String] = []
    }

    let node = Node(1)
    let observer = Observer()
    let observations: ObservationController<Observer>

    init() {
        observations = ObservationController(observer: observer)
        node.storage = Node(2)
        node.inner = Node(3)
    }

    private func watch<Value: Equatable>(
        _ keyPath: KeyPath<Node, Value>, _ options: KeyValueObservingOptions = [.prior, .old, .new],
        removing: RemovingDuplicates<Value>? = nil
    ) {
        observations.observe(node, keyPath, options: options, removing: removing) { observer, _, change in
            let old = change.oldValue.map { " old \($0)" } ?? ""
            let new = change.newValue.map { " new \($0)" } ?? ""
            observer.calls.append((change.isPrior ? "prior" : "after") + old + new)
        }
    }

    private func takeCalls() -> [String] {
        defer { observer.calls = [] }
        return observer.calls
    }

    @Test("Rule 17: a declared path hears of each hop that is announced manually, also if the value stays")
    func aManualHopOfADeclaredPath() {
        watch(\.summary)
        node.withChange(of: \.manual) {}
        #expect(takeCalls() == ["prior old 0", "after old 0 new 0"])
        node.withChange(of: \.manual) { node.storage = Node(4) }
        #expect(takeCalls() == ["prior old 0", "after old 0 new 0"])
        node.storage?.a = 5
        #expect(takeCalls() == ["prior old 0", "after old 0 new 0"])
    }

    @Test("Rule 17: what is declared for a stored property counts, also if a path has read the property before")
    func declaredForAPropertyThatIsFollowed() {
        observations.observe(node, \.ownDouble, options: .new) { _, _, _ in }
        watch(\.own)
        node.level = 1
        #expect(takeCalls() == ["prior old 0", "after old 0 new 0"])
        node.own = 2
        #expect(takeCalls() == ["prior old 0", "after old 0 new 2"])
        node.withChange(of: \.own) { node.own = 3 }
        #expect(takeCalls() == ["prior old 2", "after old 2 new 3"])
    }

    @Test("Rule 23: assignments inside a manual notification are part of it for paths that read a property with declared dependencies")
    func aManualNotificationOfADeclaredDependent() {
        watch(\.own, .new)
        observations.observe(node, \.ownDouble, options: [.old, .new]) { observer, _, change in
            observer.calls.append("double \(change.oldValue ?? -1) \(change.newValue ?? -1)")
        }
        node.withChange(of: \.own) {
            node.own = 1
            node.own = 2
        }
        #expect(takeCalls().sorted() == ["after new 2", "double 0 4"])
    }

    @Test("Rule 16: a key whose getter calls access(_:) in a superclass gives one call, observed through a subclass")
    func accessInASuperclass() {
        watch(\.text)
        (node as Base).withChange(of: \.text) { node.file = 1 }
        #expect(takeCalls() == ["prior old 0", "after old 0 new 10"])
        node.withChange(of: \.text) { node.file = 2 }
        #expect(takeCalls() == ["prior old 10", "after old 10 new 20"])
    }

    @Test("Rule 10: who registers while a hop is announced hears of it, and then what its new object does")
    func theOnlyObserverRegistersInsideAnAnnouncement() {
        node.withChange(of: \.manual) {
            watch(\.manual?.a, .new)
            node.storage = Node(6)
        }
        #expect(takeCalls() == ["after new Optional(6)"])
        node.storage?.a = 7
        #expect(takeCalls() == ["after new Optional(7)"])
    }

    @Test("Rule 47: an announcement that a path comes to follow within a batch does not hide the value before the batch")
    func oldValuesOfABatch() {
        watch(\.inner?.text, removing: .duplicates)
        withBatchedChanges {
            node.inner = node
            node.withChange(of: \.text) {}
        }
        #expect(takeCalls() == ["prior old Optional(0)"])
        node.inner = nil
    }
}
