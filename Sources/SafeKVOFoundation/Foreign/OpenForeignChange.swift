internal import CSafeKVO
internal import SafeKVO

/// A change that another key-value observing system, such as Cocoa's, has announced and not yet completed.
struct OpenForeignChange {
    /// Data from before a change, to find the added and removed elements after the change.
    enum Shape {
        case whole
        case elements(AnnouncedChange<[Any]>.Plan)
        case members(Set<AnyHashable>)
        /// The announced change does not fit the value, so observers get a change of the kind `.setting`.
        case misfit

        init(_ change: ForeignChange, _ whole: ForeignValue?, _ system: any KeyValueSystem) {
            if change.kind == .setting {
                self = .whole
            } else if let value = whole?.value, let indexes = change.indexes {
                let plan = system.elements(of: value).flatMap { AnnouncedChange<[Any]>.elements(change.kind, at: indexes).plan($0) }
                self = plan.map { .elements($0) } ?? .misfit
            } else {
                let members = whole?.value.flatMap { $0 as? Set<AnyHashable> }
                self = change.indexes == nil ? members.map { .members($0) } ?? .misfit : .misfit
            }
        }
    }

    let change: ForeignChange
    let number: UInt
    let thread = safekvo_thread()
    /// The serial number of the newest observer that is notified of the change.
    let limit: UInt64
    let old: ForeignValue?
    let shape: Shape
    /// The object to which the changing key led when the change began, if the path has further keys.
    ///
    /// The change may release that object. So it is retained here until the library's registration with it has ended.
    var next: AnyObject?
    let elementsOf: (Any) -> [Any]?

    func announcement(of object: AnyObject) -> KeyValueEvent<ForeignValue> {
        switch shape {
        case .elements(let plan):
            KeyValueEvent(
                subject: object, kind: change.kind, phase: .prior, new: nil,
                old: old == nil ? nil : plan.old.map { ForeignValue(value: $0) },
                elements: plan.elements, wholeOld: old)
        case .members:
            // Which members will be added and removed is unknown before the change, so this event contains none.
            KeyValueEvent(
                subject: object, kind: change.kind, phase: .prior, new: nil, old: nil,
                elements: ElementsChange(indexes: nil, isEmpty: false),
                wholeOld: old)
        case .whole, .misfit:
            KeyValueEvent(subject: object, phase: .prior, new: nil, old: old)
        }
    }

    /// Makes the event for observers that are notified after the change.
    ///
    /// `new` is the whole value, or `nil` if no observer needs it. If the value does not show the announced change, the function calls
    /// `warn`, and the event has the kind `.setting`.
    func event(of object: AnyObject, new: ForeignValue?, warn: (_ announced: String) -> Void) -> KeyValueEvent<ForeignValue> {
        var pieces: (new: Any?, old: Any?, elements: ElementsChange)?
        switch shape {
        case .whole: return KeyValueEvent(subject: object, phase: .after, new: new, old: old)
        case .misfit: break
        case .elements(let plan):
            if let made = new?.value.flatMap(elementsOf).flatMap(plan.fulfilment) {
                pieces = (change.kind == .removal ? nil : made, plan.old, plan.elements)
            }
        case .members(let before):
            if let after = new?.value.flatMap({ $0 as? Set<AnyHashable> }) { pieces = members(before, after) }
        }
        guard let pieces else {
            warn(change.indexes.map { "\(change.kind) at \($0)" } ?? "\(change.kind)")
            return KeyValueEvent(subject: object, phase: .after, new: new, old: old)
        }
        return KeyValueEvent(
            subject: object, kind: change.kind, phase: .after, new: pieces.new.map { ForeignValue(value: $0) },
            old: old == nil ? nil : pieces.old.map { ForeignValue(value: $0) },
            elements: pieces.elements, wholeNew: new, wholeOld: old)
    }

    /// Finds the elements that a change has added to a set and removed from it.
    ///
    /// Returns `nil` if they contradict the announcement: an announced insertion removed elements, or an announced removal added some.
    private func members(_ before: Set<AnyHashable>, _ after: Set<AnyHashable>) -> (new: Any?, old: Any?, elements: ElementsChange)? {
        let (come, gone) = (after.subtracting(before), before.subtracting(after))
        if change.kind == .insertion ? !gone.isEmpty : change.kind == .removal && !come.isEmpty { return nil }
        let elements = ElementsChange(indexes: nil, isEmpty: come.isEmpty && gone.isEmpty)
        return (change.kind == .removal ? nil : come, change.kind == .insertion ? nil : gone, elements)
    }
}
