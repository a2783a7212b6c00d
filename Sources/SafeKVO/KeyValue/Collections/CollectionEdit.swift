internal import CSafeKVO

/// A description of an operation on a collection, from which the events for its observers are made.
///
/// An edit is computed from the value that the collection has before the operation.
protocol CollectionEdit<Value> {
    associatedtype Value

    /// A collection without elements.
    static var empty: Value { get }
    var kind: KeyValueChangeKind { get }
    /// The elements that the edit inserts, removes or replaces; nil if it replaces the whole collection.
    var elements: ElementsChange? { get }
    /// Returns `true` if the operation may be applied to a value, although the edit was computed from an earlier value.
    ///
    /// - Parameters:
    ///   - value: The present value of the collection.
    ///   - hasBeenCalled: `true` if handlers were called since the edit was computed; `false` if only closures that were passed to the
    ///     operation ran.
    func isRight(for value: Value, afterHandlers hasBeenCalled: Bool) -> Bool
    /// Returns the elements that the edit removes or replaces; nil for an insertion.
    ///
    /// - Parameter whole: The whole collection before the edit.
    func old(in whole: Value) -> Value?
    /// Returns the elements that the edit has inserted or put in place of others; nil for a removal.
    ///
    /// - Parameter whole: The whole collection after the edit.
    func new(in whole: Value) -> Value?
}

extension KeyValueEvent {
    /// Makes the event that is delivered before an edit.
    ///
    /// `whole` is the collection before the edit. `delivery` knows whether an observer asks for old values.
    init(before edit: some CollectionEdit<Value>, of subject: AnyObject, whole: @autoclosure () -> Value, _ delivery: borrowing Delivery) {
        let wantsOld = delivery.wantsOldValues
        self.init(
            subject: subject, kind: edit.kind, phase: .prior, new: nil, old: wantsOld ? edit.old(in: whole()) : nil,
            elements: edit.elements, wholeOld: wantsOld && Self.isBatch ? whole() : nil)
    }

    /// Turns the event before an edit into the event after it.
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
    /// If the key path is not a chain of observed properties, the editor changes a copy and assigns it. The assignment notifies the
    /// observers.
    ///
    /// - Parameters:
    ///   - plan: A closure that computes the edit for the given collection, and a state that is passed to `apply`.
    ///   - apply: A closure that applies the operation to the collection.
    /// - Returns: the result of `apply`.
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
    ///
    /// - Complexity: O(*r*) for *r* ranges.
    var count: Int {
        ranges.reduce(0) { sum, range in
            let (length, isTooLong) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
            let (total, isTooMuch) = sum.addingReportingOverflow(length)
            return isTooLong || isTooMuch ? .max : total
        }
    }

    /// Returns `true` if all indexes are valid in a collection with `count` elements.
    func isInside(_ count: Int) -> Bool {
        guard let first = ranges.first, let last = ranges.last else { return true }
        return first.lowerBound >= 0 && last.upperBound <= count
    }
}

/// The description of an operation on the elements of an array.
struct ArrayEdit<Element>: CollectionEdit {
    let kind: KeyValueChangeKind
    /// The positions of the elements; nil if the edit concerns the whole array.
    ///
    /// For an insertion, these are the positions after the insertion.
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

    /// Returns the elements at some positions, in order.
    static func elements(of whole: [Element], at indexes: RangeSet<Int>) -> [Element] {
        if indexes.ranges.count == 1 { return Array(whole[indexes.ranges[0]]) }
        var elements: [Element] = []
        elements.reserveCapacity(indexes.count)
        for range in indexes.ranges { elements += whole[range] }
        return elements
    }
}

/// The description of an operation on a set: it removes the members in `gone` and adds those in `come`.
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
        // An operation on a set takes no closures. So only handlers can have changed the set since the edit was computed.
        !afterHandlers || gone.isSubset(of: value) && come.subtracting(gone).isDisjoint(with: value)
    }

    func old(in whole: Set<Element>) -> Set<Element>? { kind == .insertion ? nil : gone }

    func new(in whole: Set<Element>) -> Set<Element>? { kind == .removal ? nil : come }
}
