public import CSafeKVO

/// One edit of a collection: what goes, what comes, and where.
///
/// An edit is planned before it is made. It is the source of the event for the observers, and keeps the elements that go. So their `deinit`
/// runs when the collection is no longer being accessed.
@usableFromInline
struct CollectionEdit<Value> {
    @usableFromInline let kind: KeyValueChangeKind
    /// The elements that are inserted, removed or replaced; nil if the whole collection is replaced.
    @usableFromInline let elements: ElementsChange?
    /// The removed or replaced elements, in the order of their indexes.
    @usableFromInline let gone: Value
    /// The inserted or replacing elements, in the order of their indexes.
    ///
    /// If the edit removes all elements, this is an empty collection, whose capacity is that of the result.
    @usableFromInline let come: Value
    /// The first index, if the elements of an array follow one another: the functions of `RangeSet` are slow.
    @usableFromInline let start: Int?

    @_alwaysEmitIntoClient
    init(_ kind: KeyValueChangeKind, elements: ElementsChange?, gone: Value, come: Value, start: Int? = nil) {
        (self.kind, self.elements, self.gone, self.come, self.start) = (kind, elements, gone, come, start)
    }

    /// Makes a setting of the whole collection.
    @_alwaysEmitIntoClient
    init(settingFrom old: Value, to new: Value) { self.init(.setting, elements: nil, gone: old, come: new) }

    func map<Other>(_ convert: (Value) -> Other) -> CollectionEdit<Other> {
        CollectionEdit<Other>(kind, elements: elements, gone: convert(gone), come: convert(come))
    }
}

extension CollectionEdit {
    @_alwaysEmitIntoClient
    init<Element>(_ kind: KeyValueChangeKind, at range: Range<Int>, of array: Value, come: Value = []) where Value == [Element] {
        let elements = ElementsChange(indexes: RangeSet(range), isEmpty: range.isEmpty)
        let gone = kind == .insertion ? [] : Array(array[range])
        self.init(kind, elements: elements, gone: gone, come: come, start: range.lowerBound)
    }

    @_alwaysEmitIntoClient
    init<Element: Hashable>(_ kind: KeyValueChangeKind, gone: Value = [], come: Value = []) where Value == Set<Element> {
        let elements = ElementsChange(indexes: nil, isEmpty: gone.isEmpty && come.isEmpty)
        self.init(kind, elements: elements, gone: gone, come: come)
    }
}

extension RangeSet<Int> {
    /// The number of indexes; negative if the number does not fit into an `Int`, which takes negative indexes.
    var count: Int { ranges.reduce(0) { $0 &+ ($1.upperBound &- $1.lowerBound) } }

    func isInside(_ count: Int) -> Bool {
        guard let first = ranges.first, let last = ranges.last else { return true }
        return first.lowerBound >= 0 && last.upperBound <= count
    }
}

extension KeyValueEvent {
    @_alwaysEmitIntoClient
    init(
        _ edit: CollectionEdit<Value>, _ phase: KeyValueEventHeader.Phase, of subject: AnyObject, wholeOld: @autoclosure () -> Value?,
        wholeNew: Value? = nil, _ delivery: borrowing Delivery
    ) {
        let kind = edit.kind
        self.init(
            subject: subject, kind: kind, phase: phase, new: phase == .prior || kind == .removal ? nil : edit.come,
            old: delivery.wantsOldValues && kind != .insertion ? edit.gone : nil, elements: edit.elements, wholeNew: wholeNew,
            wholeOld: delivery.wantsOldValues && safekvo_has_batch() ? wholeOld() : nil)
    }
}

/// A collection that is edited through a proxy.
@usableFromInline
protocol EditableCollection: Collection, ExpressibleByArrayLiteral {
    /// Carries out an edit that was planned for this collection; runs no user code other than `hash(into:)` and `==`.
    mutating func apply(_ edit: CollectionEdit<Self>)
}

extension EditableCollection {
    /// Plans an edit, carries it out, and returns it.
    @_alwaysEmitIntoClient
    mutating func apply(_ plan: (Self) -> CollectionEdit<Self>) -> CollectionEdit<Self> {
        let edit = plan(self)
        apply(edit)
        return edit
    }
}

extension Array: EditableCollection {
    @_alwaysEmitIntoClient
    mutating func apply(_ edit: CollectionEdit<[Element]>) {
        if edit.kind == .setting || edit.kind == .removal && edit.gone.count == count {
            self = edit.come
        } else if let start = edit.start {
            replaceSubrange(start..<start + edit.gone.count, with: edit.come)
        } else if let indexes = edit.elements?.indexes {
            if edit.kind == .removal { return removeSubranges(indexes) }
            for (index, element) in zip(indexes.ranges.joined(), edit.come) { self[index] = element }
        }
    }
}

extension Set: EditableCollection {
    @_alwaysEmitIntoClient
    mutating func apply(_ edit: CollectionEdit<Set<Element>>) {
        if edit.kind != .insertion, edit.gone.count == count { return self = edit.come }
        for member in edit.gone { remove(member) }
        for member in edit.come { insert(member) }
    }
}

/// An editor for the collection at a key path, which notifies observers of exactly the elements that change.
@usableFromInline
final class CollectionEditor<Subject: KeyValueObservable, Value: EditableCollection> {
    @usableFromInline let subject: Subject
    @usableFromInline let keyPath: ReferenceWritableKeyPath<Subject, Value>
    /// The access to the collection if it belongs to `subject` itself, kept so that later edits need not search for it again.
    @usableFromInline var own: CollectionProperty<Value>?

    init(subject: Subject, keyPath: ReferenceWritableKeyPath<Subject, Value>) {
        self.subject = subject
        self.keyPath = keyPath
    }

    var value: Value { subject[keyPath: keyPath] }

    /// Changes the collection, notifies its observers of one change, and returns the edit that was planned.
    @_alwaysEmitIntoClient
    @discardableResult
    func edit(_ plan: (Value) -> CollectionEdit<Value>) -> CollectionEdit<Value> {
        if let own { return own.edit(plan) }
        let (property, isOwn) = CollectionProperty.property(of: subject, keyPath)
        // Here, the compiler knows the types, and so specializes the access.
        if isOwn { own = property.stored == nil ? property : CollectionProperty(subject, property.property, keyPath) }
        return property.edit(plan)
    }

    /// Changes a copy of the collection with a closure, and then exchanges the collection for the copy, even if the closure throws.
    func change<Failure: Error>(_ body: (inout Value) throws(Failure) -> Void) throws(Failure) {
        var failure: Failure?
        edit { whole in
            var copy = whole
            failure = nil
            do throws(Failure) { try body(&copy) } catch { failure = error }
            return CollectionEdit(settingFrom: whole, to: copy)
        }
        if let failure { throw failure }
    }
}
