import SafeKVO
import SafeKVOTesting
import Testing

/// Rule 20c: `\.self` hears each announced change once, after the observers of the key.
@MainActor @Suite struct EntireObjectOrderTests {
    class Shape: KeyValueObject {
        @Observed var color = "red"
        @Observed var points: [Int] = []
        @Observed var width = 1
        @WeakObserved var parent: Shape?
        @AtomicObserved var count = 0
        var foreign = 0
        var outside: Int {
            get { foreign }
            set { withChange(of: \.outside) { foreign = newValue } }
        }
        /// Announced, and set through another key.
        var doubled: Int {
            get { width * 2 }
            set { withChange(of: \.doubled) { width = newValue / 2 } }
        }
    }

    class Square: Shape {
        override var width: Int {
            get { super.width * 10 }
            set { super.width = newValue }
        }
    }

    final class Observer {}

    let observer = Observer()
    let observations: ObservationController<Observer>
    let log = EventLog<String>()
    let shape = Shape()

    init() { observations = ObservationController(observer: observer) }

    private func observe<Value>(
        _ name: String, _ keyPath: KeyPath<Shape, Value>, _ options: KeyValueObservingOptions = [.prior], of object: Shape? = nil,
        then body: @escaping (Shape) -> Void = { _ in }
    ) {
        observations.observe(object ?? shape, keyPath, options: options, tag: ObservationTag(name)) { [log] _, object, change in
            log.append(change.isPrior ? "\(name) prior" : change.isInitial ? "\(name) initial" : name)
            if !change.isPrior, !change.isInitial { body(object) }
        }
    }

    enum Route: CaseIterable {
        case assignment, inPlace, atomic, update, weak, proxy, manual, ownSetter
    }

    private func change(_ route: Route) {
        switch route {
        case .assignment: shape.color = "blue"
        case .inPlace: shape.points.append(1)
        case .atomic: shape.count = 1
        case .update: shape.$count.update { $0 += 1 }
        case .weak: shape.parent = shape
        case .proxy: shape.mutableArrayValue(for: \.points).append(1)
        case .manual: shape.withChange(of: \.foreign) { shape.foreign = 1 }
        case .ownSetter: shape.outside = 1
        }
    }

    @Test(
        "Rule 20c: whichever way a property changes, its observers come first, in both phases", arguments: Route.allCases, [false, true])
    func afterTheObserversOfTheKey(_ route: Route, isPropertyObserved: Bool) throws {
        observe("self", \.self)
        if isPropertyObserved {
            switch route {
            case .assignment: observe("key", \.color)
            case .inPlace, .proxy: observe("key", \.points)
            case .atomic, .update: observe("key", \.count)
            case .weak: observe("key", \.parent)
            case .manual: observe("key", \.foreign)
            case .ownSetter: observe("key", \.outside)
            }
        }
        let expected = isPropertyObserved ? ["key prior", "self prior", "key", "self"] : ["self prior", "self"]
        change(route)
        try log.expect(expected)
        change(route)
        try log.expect(expected)
    }

    @Test("Rule 20c: observers of the object come in the order of their registration")
    func inTheOrderOfRegistration() throws {
        observe("first", \.self, [])
        observe("second", \.self, [])
        observe("key", \.color, [])
        shape.color = "blue"
        try log.expect(["key", "first", "second"])
    }

    @Test("Rules 11, 20c: a change that a handler makes comes to its own end first")
    func aChangeInAHandler() throws {
        observe("self", \.self, []) { if $0.color == "green" { $0.color = "white" } }
        observe("color", \.color, []) { if $0.color == "blue" { $0.width = 2 } }
        observe("width", \.width, [])
        shape.color = "blue"
        try log.expect(["color", "width", "self", "self"])
        shape.color = "green"
        try log.expect(["color", "self", "color", "self"])
    }

    @Test("Rules 20c, 47: at the end of a batch the object comes last, and once")
    func lastInABatch() throws {
        observe("self", \.self)
        observe("width", \.width)
        observe("doubled", \.doubled, [])
        observe("count", \.count, [])
        withBatchedChanges {
            shape.width = 2
            shape.count = 1
            shape.outside = 3
            log.append("end")
        }
        try log.expect(["width prior", "self prior", "end", "width", "doubled", "count", "self"])
    }

    @Test("Rules 20c, 23: a pair is one change, also if it nests")
    func aPair() throws {
        observe("self", \.self)
        shape.willChangeValue(for: \.foreign)
        shape.withChange(of: \.foreign) { shape.foreign = 1 }
        shape.didChangeValue(for: \.foreign)
        shape.didChangeValue(for: \.foreign)
        try log.expect(["self prior", "self"])
    }

    @Test("Rules 20c, 22: pairs of two keys are two changes, last in, first out")
    func twoPairs() throws {
        observe("self", \.self)
        observe("color", \.color)
        shape.willChangeValue(for: \.foreign)
        shape.willChangeValue(for: \.color)
        shape.didChangeValue(for: \.color)
        shape.didChangeValue(for: \.foreign)
        try log.expect(["self prior", "color prior", "self prior", "color", "self", "self"])
    }

    @Test("Rules 16, 20c: a property that is assigned inside the manual notification of another key is a change of its own")
    func assignedInside() throws {
        observe("self", \.self, [])
        shape.doubled = 4
        try log.expect(["self", "self"])
    }

    @Test("Rules 20c, 23: what changes inside a notification of the object is part of it")
    func insideANotificationOfTheObject() throws {
        observe("self", \.self)
        observe("width", \.width, [])
        shape.withChange(of: \.self) {
            shape.width = 2
            shape.outside = 3
        }
        try log.expect(["self prior", "width", "self"])
    }

    @Test("Rules 24, 20c: a cancelled change is none")
    func aCancelledChange() throws {
        observe("self", \.self, [])
        shape.willChange(\.foreign).cancel()
        try log.expect([])
    }

    @Test("Rules 25, 20c: an observer that registers inside a pair does not hear its end")
    func registeredInsideAPair() throws {
        shape.withChange(of: \.foreign) { observe("self", \.self, []) }
        try log.expect([])
        shape.withChange(of: \.foreign) {}
        try log.expect(["self"])
    }

    @Test("Rules 9, 20c: who is removed by an observer of the key, or by one of the object, is not called")
    func removedDuringTheDelivery() throws {
        let (observations, log) = (observations, log)
        observe("remover", \.self, []) { if $0.width == 3 { observations.unobserve($0, \.self, tag: "self") } }
        observe("self", \.self, [])
        observe("width", \.width, []) { if $0.width == 2 { observations.unobserve($0, \.self, tag: "self") } }
        shape.width = 2
        try log.expect(["width", "remover"])
        observe("self", \.self, [])
        shape.width = 3
        try log.expect(["width", "remover"])
    }

    @Test("Rules 9, 20c: who is added by an observer of the key, or by one of the object, does not hear the change under way")
    func addedDuringTheDelivery() throws {
        let log = log
        func add(_ object: Shape) {
            observations.observe(object, \.self, options: [], tag: "\(object.width)") { _, _, _ in log.append("added") }
        }
        observe("width", \.width, []) { if $0.width == 2 { add($0) } }
        shape.width = 2
        try log.expect(["width"])
        observe("self", \.self, []) { if $0.width == 3 { add($0) } }
        shape.width = 3
        try log.expect(["width", "added", "self"])
    }

    @Test("Rules 20b, 20c: an overridden property is one change, whoever observes it")
    func anOverriddenProperty() throws {
        let square = Square()
        observe("self", \.self, [], of: square)
        observe("width", \.width, [], of: square)
        observations.observe(square, \.width, options: [], tag: "sub") { [log] _, _, _ in log.append("sub") }
        square.width = 2
        try log.expect(["width", "sub", "self"])
        square.withChange(of: \.width) {}
        try log.expect(["width", "sub", "self"])
    }

    @Test("Rules 3, 5, 20c: the object is the old value and the new one")
    func values() throws {
        observations.observe(shape, \.self, options: [.prior, .old, .new]) { [log, shape] _, _, change in
            log.append("\(change.oldValue === shape) \(change.newValue === shape)")
        }
        shape.width = 2
        withBatchedChanges { shape.width = 3 }
        try log.expect(["true false", "true true", "true false", "true true"])
    }

    @Test("Rules 20c, 32: an object that goes in a handler is complete for those of the object")
    func theLastReferenceGoes() throws {
        final class Owner { var shape: Shape? = Shape() }
        let owner = Owner()
        let quiet = ObservationController(observer: observer, retainsObserved: false)
        let log = log
        if let shape = owner.shape {
            quiet.observe(shape, \.self, options: []) { _, shape, _ in log.append("self \(shape.width)") }
            quiet.observe(shape, \.width, options: []) { _, _, _ in owner.shape = nil }
        }
        owner.shape?.width = 2
        try log.expect(["self 2"])
        #expect(owner.shape == nil)
    }
}
