import SafeKVO

/// Key paths of every shape, to values of every size and sort.
enum KeyPaths {
    struct Huge: Sendable, Equatable {
        /// 2 kB: optimised code with greater ones takes the compiler minutes.
        var words = InlineArray<256, Int>(repeating: 0)
        static func == (left: Self, right: Self) -> Bool { left.words[0] == right.words[0] }
    }

    struct Three: Sendable, Equatable {
        var bytes: (UInt8, UInt8, UInt8) = (1, 2, 3)
        static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
    }

    protocol Shape: Sendable { var area: Int { get } }
    struct Square: Shape { var area = 1 }

    enum Weekday: Equatable { case monday, tuesday }

    /// Properties of every size.
    class Sizes: KeyValueObject {
        @Observed var nothing: Void = ()
        @Observed var nothingElse: Void = ()
        @Observed var byte: UInt8 = 1
        @Observed var flag = false
        @Observed var three = Three()
        @Observed var weekday = Weekday.monday
        @Observed var half: UInt16 = 1
        @Observed var tuple = (1, "one", Three())
        @Observed var shape: any Shape = Square()
        @Observed var anything: Any = 1
        @Observed var object: AnyObject?
        @Observed var closure: () -> Int = { 1 }
        @Observed var type: Any.Type = Int.self
        @Observed var huge: Huge = Huge()
        @Observed var path: AnyKeyPath = \String.count
        @Observed var optional: Int??
        @AtomicObserved var sharedNothing: Void = ()
        @AtomicObserved var sharedThree = Three()
        @AtomicObserved var sharedFlag = false
        @AtomicObserved var sharedShape: any Shape = Square()
        @AtomicObserved var sharedHuge = Huge()
        let letter: Character = "a"
        var plain: UInt8 = 0
        lazy var late: UInt8 = 3
        unowned var me: Sizes { self }
        weak var weakly: Sizes?
    }

    /// Properties of types that are not known yet.
    class Generic<Value: Sendable>: KeyValueObject {
        @Observed var value: Value
        @AtomicObserved var shared: Value
        @Observed var values: [Value] = []
        var both: (Value, Value) { (value, shared) }
        init(_ value: Value) {
            self.value = value
            shared = value
        }
    }

    final class SubOfGeneric: Generic<UInt8> { @Observed var own: UInt16 = 0 }

    class Node: KeyValueObject {
        @Observed var value = 1
        @Observed var next: Node?
        @Observed var items = [1, 2]
        @Observed var table: [String: Int] = ["a": 1]
        let fixed: Leaf = Leaf()
        var forced: Node! {
            get { next }
            set { next = newValue }
        }
        subscript(index: Int) -> Int { value + index }
        subscript(name: String, times: Int) -> String { String(repeating: name, count: times) + "\(value)" }
        subscript(node: Node) -> Int { node.value + value }
        static var shared: Int { 1 }
    }

    class Leaf: KeyValueObject { @Observed var value = 1 }
    class SubNode: Node { @Observed var own = 1 }

    static let mistakes = Mistakes(
        "key paths of every shape",
        sizes + shapes + [
            Mistake("sub- and superclass, appended by hand") { try classes() },
            Mistake("a key as class functions see it") { keys() },
            Mistake("a thousand arguments of a subscript") {
                let (node, all) = (Node(), Controllers())
                for index in 0..<1000 { all.ofWatcher.observe(node, \.[index]) { watcher, _ in watcher.call() } }
                node.value = 2
                try check(all.calls == 2000, "\(all.calls) calls")
            },
            Mistake("many at once, of which some are twice there") {
                let (node, all) = (Node(), Controllers())
                let results = all.ofWatcher.observeEach(node, [\.value, \.value, \.self, \.next?.value, \.[1], \.[1], \Node.fixed]) {
                    _, _, _ in
                }
                try check(results.count == 7, "\(results)")
                node.value = 2
                node.next = SubNode()
                try check(all.ofWatcher.unobserveEach(node, [\.value, \.value, \.[1], \.fixed]) == 3, "removed")
            },
            Mistake("reading a property of many sizes on its way") {
                let sizes = Sizes()
                sizes.withBatchedChanges {
                    sizes.nothing = ()
                    sizes.huge = Huge()
                    sizes.$sharedNothing.update { $0 = () }
                    sizes.$sharedHuge.update { $0.words[0] = 1 }
                }
            },
        ])

    /// Observes a key path in all phases, changes it in each way there is, and looks.
    private static func size<Value>(
        _ name: String, _ keyPath: any ReferenceWritableKeyPath<Sizes, Value> & Sendable, _ value: @escaping @Sendable () -> Value
    ) -> Mistake {
        Mistake("a value: \(name)") { @MainActor in
            for retaining in [true, false] {
                let (sizes, all) = (Sizes(), Controllers(retaining: retaining))
                all.ofWatcher.observe(sizes, keyPath, options: [.initial, .old, .new, .prior]) { watcher, _, change in
                    _ = (change.oldValue, change.newValue, change.propertyName)
                    watcher.call()
                }
                all.ofWatcher.observeEach(sizes, [keyPath, \Sizes.self], options: [.old, .new], tag: "any") { _, _, change in
                    _ = change.typed(as: keyPath)
                }
                let names = all.ofWatcher.observations.map(\.name) + ["\(all.ofWatcher)"]
                try check(all.calls == 1 && !names.isEmpty, "\(all.calls) initial calls")
                sizes[keyPath: keyPath] = value()
                sizes.withChange(of: keyPath) { sizes[keyPath: keyPath] = value() }
                withBatchedChanges { sizes[keyPath: keyPath] = value() }
                sizes.willChangeValue(for: keyPath)
                sizes.didChangeValue(for: keyPath)
                try check(all.calls == 9, "\(all.calls) calls")
                try check(all.ofWatcher.unobserve(sizes, keyPath) == 1, "removed")
            }
        }
    }

    private static let sizes = [
        size("nothing", \.nothing) { () }, size("another nothing", \.nothingElse) { () }, size("a byte", \.byte) { 2 },
        size("a flag", \.flag) { true }, size("three bytes", \.three) { Three() }, size("an enumeration", \.weekday) { .tuesday },
        size("two bytes", \.half) { 2 }, size("a tuple", \.tuple) { (2, "two", Three()) }, size("an existential", \.shape) { Square() },
        size("anything", \.anything) { "two" }, size("an object", \.object) { Node() }, size("a closure", \.closure) { { 2 } },
        size("a type", \.type) { String.self }, size("2 kB", \.huge) { Huge() }, size("a key path", \.path) { \Node.value },
        size("an optional optional", \.optional) { .some(nil) }, size("an atomic nothing", \.sharedNothing) { () },
        size("three atomic bytes", \.sharedThree) { Three() }, size("an atomic flag", \.sharedFlag) { true },
        size("an atomic existential", \.sharedShape) { Square() }, size("atomic 2 kB", \.sharedHuge) { Huge() },
    ]

    /// Observes whatever a key path leads to, sets and announces something, and removes it again.
    private static func shape<Value>(_ name: String, _ keyPath: any KeyPath<Node, Value> & Sendable) -> Mistake {
        Mistake("a key path: \(name)") {
            for retaining in [true, false] {
                let (node, all) = (Node(), Controllers(retaining: retaining))
                node.next = SubNode()
                for options in [[], .new, [.initial, .old, .new, .prior]] as [KeyValueObservingOptions] {
                    let result = all.ofWatcher.observe(node, keyPath, options: options, tag: "\(options)") { _, _, change in
                        _ = (change.oldValue, change.newValue, change.propertyName, change.description)
                    }
                    try check(result == .added, "\(result)")
                }
                _ = all.ofWatcher.observations.map(\.description)
                node.value = 2
                node.next?.value = 3
                node.next = Node()
                node.fixed.value = 4
                node.items = [3, 4]
                node.withChange(of: keyPath) { node.value = 5 }
                node.willChangeValue(for: keyPath)
                node.didChangeValue(for: keyPath)
                for options in [[], .new, [.initial, .old, .new, .prior]] as [KeyValueObservingOptions] {
                    try check(all.ofWatcher.unobserve(node, keyPath, tag: "\(options)") == 1, "not removed")
                }
                try check(ObservationDiagnostics.observations(of: node, includingDependencies: true).isEmpty, "something is left")
            }
        }
    }

    private static let shapes = [
        shape("stored", \.value), shape("itself", \.self), shape("itself twice", \.self.self), shape("let", \.fixed),
        shape("behind a let", \.fixed.value), shape("a subscript", \.[3]), shape("a subscript with two arguments", \.["a", 2]),
        shape("an optional chain", \.next?.value), shape("a long optional chain", \.next?.next?.next?.value),
        shape("forced", \.next!.value), shape("implicitly unwrapped", \.forced.value), shape("an element", \.items[0]),
        shape("the number of elements", \.items.count), shape("the first element", \.items.first), shape("of a dictionary", \.table["a"]),
        shape("of a value", \.value.description.count),
        shape("of a value's bits", \.value.words.count), shape("of a string", \.items.description.utf8.count.bitWidth),
        shape("itself of a part", \.next?.self), shape("a chain through itself", \.self.fixed.self.value.self),
    ]

    @MainActor private static func classes() throws {
        let (node, all) = (SubNode(), Controllers())
        let base: KeyPath<Node, Int> = \Node.value
        let toBase: KeyPath<SubNode, Node> = \SubNode.self as AnyKeyPath as? KeyPath<SubNode, Node> ?? \SubNode.asNode
        let appended = toBase.appending(path: base)
        let results = [
            all.ofWatcher.observe(node, \SubNode.value) { _, _ in }, all.ofWatcher.observe(node as Node, base) { _, _ in },
            all.ofWatcher.observe(node, appended) { _, _ in }, all.ofWatcher.observe(node, \SubNode.own) { _, _ in },
            all.ofWatcher.observe(node, (\SubNode.fixed).appending(path: \Leaf.value)) { _, _ in },
            all.ofWatcher.observe(node as Node, (\Node.fixed).appending(path: \.self).appending(path: \.value)) { _, _ in },
        ]
        try check(results[0] == .added && results[1] == .alreadyObserved, "\(results)")
        node.value = 2
        node.own = 3
        node.fixed.value = 4
        let generic = SubOfGeneric(1)
        all.ofWatcher.observe(generic, \SubOfGeneric.value) { watcher, _ in watcher.call() }
        all.ofWatcher.observe(generic as Generic<UInt8>, \.shared) { watcher, _ in watcher.call() }
        all.ofWatcher.observe(generic, \.both.0) { watcher, _ in watcher.call() }
        all.ofWatcher.observe(generic, \.own) { watcher, _ in watcher.call() }
        all.ofWatcher.observe(Generic("a"), \.value) { watcher, _ in watcher.call() }
        all.ofWatcher.observe(Generic(()), \.value) { watcher, _ in watcher.call() }
        all.ofWatcher.observe(Generic(Huge()), \.both.1) { watcher, _ in watcher.call() }
        (generic.value, generic.shared, generic.own) = (2, 3, 4)
        try check(all.calls == 7 + 5, "\(all.calls) calls")
    }

    private static func keys() {
        for path in [\Node.value, \Node.self, \Node.next?.value, \String.count, \SubNode.value] as [AnyKeyPath] {
            let key = ObservedKeyPath(path)
            _ = (key == \Node.value, key != \SubNode.value, \String.count ~= key, key == path, key.keyPath == path)
            _ = (Node.automaticallyNotifiesObservers(for: key), Node.keyPathsForValuesAffectingValue(for: key))
            _ = (Owners.Borrower.automaticallyNotifiesObservers(for: key), Owners.Borrower.keyPathsForValuesAffectingValue(for: key))
            func ask<Object: KeyValueObservable>(_ type: Object.Type) {
                _ = (type.automaticallyNotifiesObservers(for: key), type.keyPathsForValuesAffectingValue(for: key))
            }
            ask(Node.self)
            ask(Owners.Borrower.self)
        }
    }
}

#if DEBUG  // Optimised, the compiler takes minutes for such a type.
    extension KeyPaths {
        /// A value of 128 kB, which fits on the stack a few times.
        struct Enormous: Sendable { var words = InlineArray<16384, Int>(repeating: 0) }

        final class Warehouse: KeyValueObject {
            @Observed var goods = Enormous()
            @AtomicObserved var sharedGoods = Enormous()
        }

        static let enormous = Mistakes(
            "values of 128 kB",
            [
                Mistake("an observed property") {
                    let (warehouse, all) = (Warehouse(), Controllers())
                    all.ofWatcher.observe(warehouse, \.goods) { watcher, _ in watcher.call() }
                    all.ofWatcher.observe(warehouse, \.goods, options: [.old, .new, .prior], tag: "all") { watcher, _, _ in watcher.call() }
                    warehouse.goods.words[1] = 1
                    warehouse.goods = Enormous()
                    try check(all.calls == 7, "\(all.calls) calls")
                },
                Mistake("an atomic property") { @MainActor in
                    let (warehouse, all) = (Warehouse(), Controllers())
                    all.ofWatcher.observe(warehouse, \.sharedGoods) { watcher, _ in watcher.call() }
                    warehouse.sharedGoods = Enormous()
                    try check(all.calls == 2, "\(all.calls) calls")
                },
            ])
    }
#else
    extension KeyPaths {
        static let enormous = Mistakes("values of 128 kB", [])
    }
#endif

extension KeyPaths.SubNode {
    var asNode: KeyPaths.Node { self }
}
