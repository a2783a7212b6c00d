public import CSafeKVO

/// A description of one operation on a collection, such as an insertion of elements.
///
/// The description is computed before the operation, and is the source of the event for the observers.
@usableFromInline
protocol CollectionEdit<Value> {
    associatedtype Value

    static var empty: Value { get }
    var kind: KeyValueChangeKind { get }
    /// The elements that are inserted, removed or replaced; nil if the whole collection is replaced.
    var elements: ElementsChange? { get }
    /// Checks that the edit, planned for an earlier state of the collection, still fits `value`.
    ///
    /// Closures of the operation may have changed the collection. If `hasBeenCalled` is `true`, handlers may have done so, too.
    func isRight(for value: Value, afterHandlers hasBeenCalled: Bool) -> Bool
    /// Returns the removed or replaced elements, given the collection before the edit; nil for an insertion.
    func old(in whole: Value) -> Value?
    /// Returns the inserted or replacing elements, given the collection after the edit; nil for a removal.
    func new(in whole: Value) -> Value?
}

extension KeyValueEvent {
    @inlinable
    init(before edit: some CollectionEdit<Value>, of subject: AnyObject, whole: @autoclosure () -> Value, _ delivery: borrowing Delivery) {
        let wantsOld = delivery.wantsOldValues
        self.init(
            subject: subject, kind: edit.kind, phase: .prior, new: nil, old: wantsOld ? edit.old(in: whole()) : nil,
            elements: edit.elements, wholeOld: wantsOld && Self.isBatch ? whole() : nil)
    }

    /// Makes the event before an edit; if `edit` is nil, the event reports a setting of the whole collection.
    @inlinable
    init(
        before edit: (some CollectionEdit<Value>)?, of subject: AnyObject, whole: @autoclosure () -> Value, _ delivery: borrowing Delivery
    ) {
        if let edit {
            self.init(before: edit, of: subject, whole: whole(), delivery)
        } else {
            self.init(subject: subject, phase: .prior, new: nil, old: delivery.wantsOldValues ? whole() : nil)
        }
    }

    @inlinable
    mutating func complete(_ edit: some CollectionEdit<Value>, whole: @autoclosure () -> Value, _ delivery: borrowing Delivery) {
        header.phase = .after
        new = edit.new(in: whole())
        if delivery.wantsWholeValues { wholeNew = whole() }
    }

    @inlinable
    static var isBatch: Bool {
        safekvo_has_batch()
    }
}

/// An editor for the collection at a key path, which notifies observers of exactly the elements that change.
@usableFromInline
final class CollectionEditor<Subject: KeyValueObservable, Value> {
    @usableFromInline let subject: Subject
    @usableFromInline let keyPath: ReferenceWritableKeyPath<Subject, Value>
    /// The access to the collection's storage, kept so that later edits need not search for the property again.
    ///
    /// Kept only if the property belongs to `subject` itself, whose class declares the property.
    @usableFromInline var own: StoredCollection<Subject, Value>?
    /// The same if the class of `subject` inherits the property.
    @usableFromInline var inherited: InheritedCollection<Subject, Value>?

    init(subject: Subject, keyPath: ReferenceWritableKeyPath<Subject, Value>) {
        self.subject = subject
        self.keyPath = keyPath
    }

    @inlinable
    func read<Result>(_ body: (Value) -> Result) -> Result {
        body(subject[keyPath: keyPath])
    }

    /// Changes the collection and notifies its observers of one change.
    ///
    /// `plan` describes the operation, and `apply` carries it out. If a component of the key path is not an observed property, the whole
    /// collection is assigned.
    @inlinable
    func edit<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        if let own { return own.edit(plan, apply) }
        if let inherited { return inherited.edit(plan, apply) }
        if let property = CollectionProperty.property(of: subject, keyPath) {
            if let found = property.inherited(by: subject, keyPath) {
                inherited = found
                return found.edit(plan, apply)
            }
            guard let stored = property as? StoredCollection<Subject, Value> else { return property.edit(plan, apply) }
            if stored.owner === subject, stored.keyPath == keyPath { own = stored }
            return stored.edit(plan, apply)
        }
        var copy = subject[keyPath: keyPath]
        let done = editCopy(&copy, plan, apply)
        subject[keyPath: keyPath] = copy
        return withExtendedLifetime(done) { done.result }
    }
}

extension CollectionEditor where Value: ExpressibleByArrayLiteral {
    /// Changes a copy of the collection with a closure, and then exchanges the collection for the copy, even if the closure throws.
    func change<Failure: Error>(_ body: (inout Value) throws(Failure) -> Void) throws(Failure) {
        var failure: Failure?
        edit { whole in
            var copy = whole
            failure = nil
            do throws(Failure) { try body(&copy) } catch { failure = error }
            return (WholeEdit(whole: whole), copy)
        } _: { whole, copy in
            // The `deinit` of an old element may use the collection. So `copy` keeps the old elements until the access has ended.
            swap(&whole, &copy)
        }
        if let failure { throw failure }
    }
}

/// A change of the whole collection, which was computed from `whole`.
struct WholeEdit<Value: ExpressibleByArrayLiteral>: CollectionEdit {
    let whole: Value

    static var empty: Value { [] }
    var kind: KeyValueChangeKind { .setting }
    var elements: ElementsChange? { nil }

    func isRight(for value: Value, afterHandlers hasBeenCalled: Bool) -> Bool {
        // A write by the closure itself is overwritten. A write by a handler is not, so the closure must be called again.
        !hasBeenCalled || Bits.areSame(value, whole)
    }

    func old(in whole: Value) -> Value? { whole }
    func new(in whole: Value) -> Value? { whole }
}

extension RangeSet<Int> {
    /// The number of indexes; `Int.max` if the number does not fit into an `Int`.
    @usableFromInline
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

@usableFromInline
struct ArrayEdit<Element>: CollectionEdit {
    @usableFromInline let kind: KeyValueChangeKind
    /// The positions of the changed elements; nil if the whole array is replaced.
    @usableFromInline let elements: ElementsChange?
    @usableFromInline let count: Int

    @inlinable
    init(_ kind: KeyValueChangeKind, at indexes: RangeSet<Int>, of array: [Element], changesNothing: Bool? = nil) {
        self.kind = kind
        elements = ElementsChange(indexes: indexes, isEmpty: changesNothing ?? indexes.isEmpty)
        count = array.count
    }

    @inlinable
    init(_ kind: KeyValueChangeKind, at range: Range<Int>, of array: [Element]) {
        self.init(kind, at: RangeSet(range), of: array, changesNothing: range.isEmpty)
    }

    private init(settingOf array: [Element]) {
        kind = .setting
        elements = nil
        count = array.count
    }

    static func setting(of array: [Element]) -> Self { Self(settingOf: array) }

    @inlinable
    static var empty: [Element] { [] }

    @inlinable
    func isRight(for value: [Element], afterHandlers: Bool) -> Bool { value.count == count }

    @inlinable
    func old(in whole: [Element]) -> [Element]? { kind == .insertion ? nil : concerned(whole) }

    @inlinable
    func new(in whole: [Element]) -> [Element]? { kind == .removal ? nil : concerned(whole) }

    @inlinable
    func concerned(_ whole: [Element]) -> [Element]? {
        guard let indexes = elements?.indexes else { return whole }
        return Self.elements(of: whole, at: indexes)
    }

    @inlinable
    static func elements(of whole: [Element], at indexes: RangeSet<Int>) -> [Element] {
        if indexes.ranges.count == 1 { return Array(whole[indexes.ranges[0]]) }
        var elements: [Element] = []
        elements.reserveCapacity(indexes.count)
        for range in indexes.ranges { elements += whole[range] }
        return elements
    }
}

@usableFromInline
struct SetEdit<Element: Hashable>: CollectionEdit {
    @usableFromInline let kind: KeyValueChangeKind
    @usableFromInline let gone: Set<Element>
    @usableFromInline let come: Set<Element>

    @inlinable
    init(_ kind: KeyValueChangeKind, gone: Set<Element> = [], come: Set<Element> = []) {
        self.kind = kind
        self.gone = gone
        self.come = come
    }

    @inlinable
    static var empty: Set<Element> { [] }

    @inlinable
    var elements: ElementsChange? { ElementsChange(indexes: nil, isEmpty: gone.isEmpty && come.isEmpty) }

    @inlinable
    func isRight(for value: Set<Element>, afterHandlers: Bool) -> Bool {
        // The planned edit is still right if the set contains all members to remove (`gone`), and no member to add (`come`).
        // Only handlers that ran before the edit can have changed the set.
        !afterHandlers || gone.isSubset(of: value) && come.subtracting(gone).isDisjoint(with: value)
    }

    @inlinable
    func old(in whole: Set<Element>) -> Set<Element>? { kind == .insertion ? nil : gone }

    @inlinable
    func new(in whole: Set<Element>) -> Set<Element>? { kind == .removal ? nil : come }
}
