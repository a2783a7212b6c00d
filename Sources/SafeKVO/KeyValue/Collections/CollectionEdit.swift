internal import CSafeKVO

/// A description of one operation on a collection, such as an insertion of elements.
///
/// It is computed before the operation, and the event for the observers is made from it.
protocol CollectionEdit<Value> {
    associatedtype Value

    static var empty: Value { get }
    var kind: KeyValueChangeKind { get }
    /// The elements that are inserted, removed or replaced; nil if the whole collection is replaced.
    var elements: ElementsChange? { get }
    /// Returns `true` if the edit still fits `value`, the collection before the operation.
    ///
    /// Since the edit was computed, closures that were passed to the operation may have changed the collection. If `hasBeenCalled` is
    /// `true`, handlers of observers may have changed it, too.
    func isRight(for value: Value, afterHandlers hasBeenCalled: Bool) -> Bool
    /// Returns the removed or replaced elements, given the collection before the edit; nil for an insertion.
    func old(in whole: Value) -> Value?
    /// Returns the inserted elements, or those that replaced others, given the collection after the edit; nil for a removal.
    func new(in whole: Value) -> Value?
}

extension KeyValueEvent {
    init(before edit: some CollectionEdit<Value>, of subject: AnyObject, whole: @autoclosure () -> Value, _ delivery: borrowing Delivery) {
        let wantsOld = delivery.wantsOldValues
        self.init(
            subject: subject, kind: edit.kind, phase: .prior, new: nil, old: wantsOld ? edit.old(in: whole()) : nil,
            elements: edit.elements, wholeOld: wantsOld && Self.isBatch ? whole() : nil)
    }

    mutating func complete(_ edit: some CollectionEdit<Value>, whole: @autoclosure () -> Value, _ delivery: borrowing Delivery) {
        header.phase = .after
        new = edit.new(in: whole())
        if delivery.wantsWholeValues || Self.isBatch { wholeNew = whole() }
    }

    private static var isBatch: Bool {
        safekvo_has_batch()
    }
}

/// An editor for the collection at a key path, which notifies observers of exactly the elements that change.
struct CollectionEditor<Subject: KeyValueObservable, Value> {
    let subject: Subject
    let keyPath: ReferenceWritableKeyPath<Subject, Value>

    init(subject: Subject, keyPath: ReferenceWritableKeyPath<Subject, Value>) {
        self.subject = subject
        self.keyPath = keyPath
    }

    func read<Result>(_ body: (Value) -> Result) -> Result {
        body(subject[keyPath: keyPath])
    }

    /// Changes the collection and notifies its observers of one change.
    ///
    /// The closure `plan` gets the collection, and returns a description of the operation and a state. The closure `apply` uses the state
    /// to carry out the operation.
    ///
    /// If a component of the key path is not an observed property, the editor changes a copy and assigns the copy. The assignment notifies
    /// the observers.
    func edit<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        if let property = PropertyFinder.property(of: subject, keyPath) { return property.edit(plan, apply) }
        var copy = subject[keyPath: keyPath]
        let done = editCopy(&copy, plan, apply)
        subject[keyPath: keyPath] = copy
        return withExtendedLifetime(done) { done.result }
    }
}

extension RangeSet<Int> {
    /// The number of indexes; `Int.max` if the number does not fit into an `Int`.
    var count: Int {
        ranges.reduce(0) { sum, range in
            let (length, isTooLong) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
            let (total, isTooMuch) = sum.addingReportingOverflow(length)
            return isTooLong || isTooMuch ? .max : total
        }
    }

    func isInside(_ count: Int) -> Bool {
        guard let first = ranges.first, let last = ranges.last else { return true }
        return first.lowerBound >= 0 && last.upperBound <= count
    }
}

struct ArrayEdit<Element>: CollectionEdit {
    let kind: KeyValueChangeKind
    /// The positions of the changed elements; nil if the whole array is replaced.
    ///
    /// The positions of an insertion are those after the insertion.
    private let indexes: RangeSet<Int>?
    private let changesNothing: Bool
    /// The number of elements before the edit.
    private let count: Int

    init(_ kind: KeyValueChangeKind, at indexes: RangeSet<Int>, of array: [Element], changesNothing: Bool? = nil) {
        self.kind = kind
        self.indexes = indexes
        self.changesNothing = changesNothing ?? indexes.isEmpty
        count = array.count
    }

    init(_ kind: KeyValueChangeKind, at range: Range<Int>, of array: [Element]) {
        self.init(kind, at: RangeSet(range), of: array)
    }

    private init(settingOf array: [Element]) {
        kind = .setting
        indexes = nil
        changesNothing = false
        count = array.count
    }

    static func setting(of array: [Element]) -> Self { Self(settingOf: array) }

    static var empty: [Element] { [] }

    var elements: ElementsChange? { indexes.map { ElementsChange(indexes: $0, isEmpty: changesNothing) } }

    func isRight(for value: [Element], afterHandlers: Bool) -> Bool { value.count == count }

    func old(in whole: [Element]) -> [Element]? { kind == .insertion ? nil : concerned(whole) }

    func new(in whole: [Element]) -> [Element]? { kind == .removal ? nil : concerned(whole) }

    private func concerned(_ whole: [Element]) -> [Element]? {
        guard let indexes else { return whole }
        return Self.elements(of: whole, at: indexes)
    }

    static func elements(of whole: [Element], at indexes: RangeSet<Int>) -> [Element] {
        if indexes.ranges.count == 1 { return Array(whole[indexes.ranges[0]]) }
        var elements: [Element] = []
        elements.reserveCapacity(indexes.count)
        for range in indexes.ranges { elements += whole[range] }
        return elements
    }
}

struct SetEdit<Element: Hashable>: CollectionEdit {
    let kind: KeyValueChangeKind
    let gone: Set<Element>
    let come: Set<Element>

    init(_ kind: KeyValueChangeKind, gone: Set<Element> = [], come: Set<Element> = []) {
        self.kind = kind
        self.gone = gone
        self.come = come
    }

    static var empty: Set<Element> { [] }

    var elements: ElementsChange? { ElementsChange(indexes: nil, isEmpty: gone.isEmpty && come.isEmpty) }

    func isRight(for value: Set<Element>, afterHandlers: Bool) -> Bool {
        // Operations on a set take no closures. So if no handler was called, the set has not changed since the edit was computed.
        !afterHandlers || gone.isSubset(of: value) && come.subtracting(gone).isDisjoint(with: value)
    }

    func old(in whole: Set<Element>) -> Set<Element>? { kind == .insertion ? nil : gone }

    func new(in whole: Set<Element>) -> Set<Element>? { kind == .removal ? nil : come }
}
