internal import CSafeKVO
internal import SafeKVO

/// A change that another system has announced and not yet told as made.
struct OpenForeignChange {
    /// What is needed to see, afterwards, what came and what went.
    enum Shape {
        /// Nothing: it is a setting.
        case whole
        case elements(AnnouncedChange<[Any]>.Plan)
        /// The members that a set had.
        case members(Set<AnyHashable>)
        /// It is no setting, and cannot be what it was announced as.
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
    /// The thread that announced it; nobody else's business.
    let thread = safekvo_thread()
    /// Who is heard from: those who were there then.
    let limit: UInt32
    /// The whole value before, if somebody wants it.
    let old: ForeignValue?
    private let shape: Shape
    /// The object behind the key, if the path goes on: it may be replaced, and is kept until it is unregistered.
    ///
    /// In its destruction it would be late: to end a registration, a system may read what the key depends on.
    var next: AnyObject?
    private let elementsOf: (Any) -> [Any]?

    init(
        _ change: ForeignChange, _ number: UInt, limit: UInt32, old: ForeignValue?, shape: Shape, next: AnyObject?,
        elementsOf: @escaping (Any) -> [Any]?
    ) {
        self.change = change
        self.number = number
        self.limit = limit
        self.old = old
        self.shape = shape
        self.next = next
        self.elementsOf = elementsOf
    }

    /// The event that tells of the change beforehand.
    func announcement(of object: AnyObject) -> KeyValueEvent<ForeignValue> {
        switch shape {
        case .elements(let plan):
            KeyValueEvent(
                subject: object, kind: change.kind, phase: .prior, new: nil,
                old: old == nil ? nil : plan.old.map { ForeignValue(value: $0) },
                elements: ElementsChange(indexes: change.indexes, isEmpty: plan.isEmpty), wholeOld: old)
        case .members:
            // Which members come or go is seen only afterwards.
            KeyValueEvent(
                subject: object, kind: change.kind, phase: .prior, new: nil, old: nil,
                elements: ElementsChange(indexes: nil, isEmpty: false),
                wholeOld: old)
        case .whole, .misfit:
            KeyValueEvent(subject: object, phase: .prior, new: nil, old: old)
        }
    }

    /// The event that tells of the change as made.
    ///
    /// - Parameters:
    ///   - object: The object that the path begins with.
    ///   - new: The whole value afterwards, if it was read.
    ///   - warn: Told of a change that is not what it was announced as.
    /// - Returns: the event; of a setting, if the change is not what it was announced as.
    func event(of object: AnyObject, new: ForeignValue?, warn: (_ announced: String) -> Void) -> KeyValueEvent<ForeignValue> {
        var pieces: (new: Any?, old: Any?, isEmpty: Bool)?
        switch shape {
        case .whole: return KeyValueEvent(subject: object, phase: .after, new: new, old: old)
        case .misfit: break
        case .elements(let plan):
            if let fulfilment = new?.value.flatMap(elementsOf).flatMap(plan.fulfilment) {
                pieces = (fulfilment.new, plan.old, plan.isEmpty)
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
            elements: ElementsChange(indexes: change.indexes, isEmpty: pieces.isEmpty), wholeNew: new, wholeOld: old)
    }

    /// What came into a set and what went; nil if that is not what was announced.
    private func members(_ before: Set<AnyHashable>, _ after: Set<AnyHashable>) -> (new: Any?, old: Any?, isEmpty: Bool)? {
        let (come, gone) = (after.subtracting(before), before.subtracting(after))
        if change.kind == .insertion ? !gone.isEmpty : change.kind == .removal && !come.isEmpty { return nil }
        return (change.kind == .removal ? nil : come, change.kind == .insertion ? nil : gone, come.isEmpty && gone.isEmpty)
    }
}
