import CocoaDouble
import LifetimeModel
import SafeKVO
import SafeKVOFoundation

/// An object of programs that another system observes, which raises where it is misused.
final class CocoaThing: CocoaObject, ProgramThing, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) it adds constants.

    static let runtime = CocoaRuntime(mergesNestedChanges: false)

    let observationSlot = ObservationSlot()
    private let id: Int
    private unowned let program: LiveProgram<CocoaThing>

    init(_ id: Int, _ program: LiveProgram<CocoaThing>) {
        self.id = id
        self.program = program
        super.init(Self.runtime, ["value": 0, "other": 0, "next": nil])
    }

    deinit {
        program.model.died(id)
        // Nobody may hear of this.
        set(-1, forKey: "value")
        guard id.isMultiple(of: 4) else { return }
        // Perhaps the first use of the controllers.
        let refused = Self.observe(
            self, .value, with: nonRetainingObservations, options: .new, tag: nil, ifAlreadyObserved: .ignore, handler: { _, _, _ in },
            onTermination: { _ in })
        if refused != .refused(.objectDeinitialized) { program.model.objects(to: "an object in its deinit was observed: \(refused)") }
        if let living = program.anyThing {
            let refused = Self.observe(
                living, .double, with: observations, options: .new, tag: nil, ifAlreadyObserved: .ignore, handler: { _, _, _ in },
                onTermination: { _ in })
            if refused != .refused(.observerDeinitialized) { program.model.objects(to: "an object in its deinit observes: \(refused)") }
        }
    }

    override var computedKeys: Set<String> { ["double"] }

    override func computedValue(forKey key: String) -> Any? { (value(forKey: "value") as? Int).map { $0 * 2 } }

    override func keysAffectingValue(forKey key: String) -> Set<String> { key == "double" ? ["value"] : [] }

    func set(_ property: Property, to new: Int) { set(new, forKey: property == .value ? "value" : "other") }

    func link(to other: CocoaThing?) { set(other, forKey: "next") }

    var records: (observers: Int, dependencies: Int) {
        let (observers, links) = ForeignSubject.existing(for: self, of: Self.runtime)?.observationRecords ?? (0, 0)
        // The library does not link this key to the other, on which the system says that it depends.
        let isDoubled = ObservationDiagnostics.observations(of: self).contains { $0.name == "double" }
        return (observers, links + (isDoubled ? 1 : 0))
    }

    /// The system does not say which of its calls belong to one change.
    static var takesKeysOneByOne: Bool { true }

    static func misuse() -> String? {
        let exceptions = runtime.takeExceptions()
        return exceptions.isEmpty ? nil : "raised: \(exceptions)"
    }

    // MARK: Observing

    private static func path(_ key: Key) -> ForeignKeyPath {
        switch key {
        case .value: ForeignKeyPath("value")
        case .other: ForeignKeyPath("other")
        case .double: ForeignKeyPath("double")
        case .nextValue: ForeignKeyPath("next.value")
        }
    }

    static func observe(
        _ thing: CocoaThing?, _ key: Key, with controller: ObservationController<CocoaThing>, options: KeyValueObservingOptions,
        tag: ObservationTag?, ifAlreadyObserved: RepeatedObservation, handler: @escaping (Phase, Int?, Int?) -> Void,
        onTermination: @escaping @Sendable (ObservationEndReason) -> Void
    ) -> ObservationResult {
        let registration = Registration(.closure, options, tag, ifAlreadyObserved, nil, #fileID, #line, onTermination)
        return controller.observe(thing, of: runtime, path(key), registration) {
            (_, _: CocoaThing, change: KeyValueChange<Int?>) in
            handler(Phase(change), change.oldValue.map { $0 ?? -1 }, change.newValue.map { $0 ?? -1 })
        }
    }

    static func unobserve(
        _ thing: CocoaThing?, _ key: Key, with controller: ObservationController<CocoaThing>, tag: ObservationTag?
    ) -> Int {
        controller.unobserve(thing, of: runtime, path(key), tag: tag)
    }

    static func unobserve(
        _ thing: CocoaThing?, _ keys: [Key], with controller: ObservationController<CocoaThing>, tag: ObservationTag?
    ) -> Int {
        keys.reduce(0) { $0 + unobserve(thing, $1, with: controller, tag: tag) }
    }

    static func unobserve(_ thing: CocoaThing?, with controller: ObservationController<CocoaThing>) -> Int {
        controller.unobserve(thing)
    }
}
