internal import CSafeKVO

/// What an operation does to a collection, for its observers: worked out for a value that it is about to be done to.
protocol CollectionEdit<Value> {
    associatedtype Value

    var kind: KeyValueChangeKind { get }
    /// Which elements the edit is about; nil if it is about the whole.
    var elements: ElementsChange? { get }
    /// Whether the edit does to a value what it does to that which it was worked out for.
    ///
    /// - Parameters:
    ///   - value: What the collection is now.
    ///   - hasBeenCalled: Whether handlers have been called since; if not, only closures that the operation was given.
    /// - Returns: whether it may be done to the value.
    func isRight(for value: Value, afterHandlers hasBeenCalled: Bool) -> Bool
    /// Picks the elements that go out of the whole value.
    func old(in whole: Value) -> Value?
    /// Picks the elements that have come out of the whole value.
    func new(in whole: Value) -> Value?
}

extension KeyValueEvent {
    /// Makes what is told before an edit.
    ///
    /// - Parameters:
    ///   - edit: What is to be done.
    ///   - subject: Whose collection it is.
    ///   - whole: What the collection is before.
    ///   - delivery: Says what is wanted.
    init(before edit: some CollectionEdit<Value>, of subject: AnyObject, whole: @autoclosure () -> Value, _ delivery: borrowing Delivery) {
        let wantsOld = delivery.wantsOldValues
        self.init(
            subject: subject, kind: edit.kind, phase: .prior, new: nil, old: wantsOld ? edit.old(in: whole()) : nil,
            elements: edit.elements, wholeOld: wantsOld && Self.isBatch ? whole() : nil)
    }

    /// Makes it what is told after the edit.
    mutating func complete(_ edit: some CollectionEdit<Value>, whole: @autoclosure () -> Value, _ delivery: borrowing Delivery) {
        header.phase = .after
        new = edit.new(in: whole())
        if delivery.wantsWholeValues || Self.isBatch { wholeNew = whole() }
    }

    private static var isBatch: Bool {
        safekvo_has_batch()
    }
}

/// Changes the collection that a key path leads to, and tells its observers exactly what was done.
struct CollectionEditor<Subject: KeyValueObservable, Value> {
    let subject: Subject
    let keyPath: ReferenceWritableKeyPath<Subject, Value>

    init(subject: Subject, keyPath: ReferenceWritableKeyPath<Subject, Value>) {
        self.subject = subject
        self.keyPath = keyPath
    }

    /// Looks at the collection.
    func read<Result>(_ body: (Value) -> Result) -> Result {
        body(subject[keyPath: keyPath])
    }

    /// Changes the collection and announces one change.
    ///
    /// A key path that is no chain of observed properties leads to something that is assigned to, and announces that itself.
    ///
    /// - Parameters:
    ///   - plan: Works out what is to be done to a value, and what it takes.
    ///   - apply: Does it.
    /// - Returns: what `apply` returns.
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
    /// How many indexes there are; the greatest number if there are more.
    ///
    /// - Complexity: O(*r*) for *r* ranges.
    var count: Int {
        ranges.reduce(0) { sum, range in
            let (length, isTooLong) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
            let (total, isTooMuch) = sum.addingReportingOverflow(length)
            return isTooLong || isTooMuch ? .max : total
        }
    }

    /// Whether all indexes are those of elements, if there are so many.
    func isInside(_ count: Int) -> Bool {
        guard let first = ranges.first, let last = ranges.last else { return true }
        return first.lowerBound >= 0 && last.upperBound <= count
    }
}

/// What an operation does to elements of an array.
struct ArrayEdit<Element>: CollectionEdit {
    let kind: KeyValueChangeKind
    /// Their positions, of an insertion after it; nil if it is about the whole.
    private let indexes: RangeSet<Int>?
    private let changesNothing: Bool
    /// How many elements there were.
    private let count: Int

    /// An edit of the elements at some positions.
    init(_ kind: KeyValueChangeKind, at indexes: RangeSet<Int>, of array: [Element], changesNothing: Bool? = nil) {
        self.kind = kind
        self.indexes = indexes
        self.changesNothing = changesNothing ?? indexes.isEmpty
        count = array.count
    }

    /// An edit of the elements at some positions that follow one another.
    init(_ kind: KeyValueChangeKind, at range: Range<Int>, of array: [Element]) {
        self.init(kind, at: RangeSet(range), of: array)
    }

    private init(settingOf array: [Element]) {
        kind = .setting
        indexes = nil
        changesNothing = false
        count = array.count
    }

    /// An edit that puts another array in the place of one.
    static func setting(of array: [Element]) -> Self { Self(settingOf: array) }

    var elements: ElementsChange? { indexes.map { ElementsChange(indexes: $0, isEmpty: changesNothing) } }

    func isRight(for value: [Element], afterHandlers: Bool) -> Bool { value.count == count }

    func old(in whole: [Element]) -> [Element]? { kind == .insertion ? nil : concerned(whole) }

    func new(in whole: [Element]) -> [Element]? { kind == .removal ? nil : concerned(whole) }

    private func concerned(_ whole: [Element]) -> [Element]? {
        guard let indexes else { return whole }
        return Self.elements(of: whole, at: indexes)
    }

    /// The elements at some positions, in order.
    static func elements(of whole: [Element], at indexes: RangeSet<Int>) -> [Element] {
        if indexes.ranges.count == 1 { return Array(whole[indexes.ranges[0]]) }
        var elements: [Element] = []
        elements.reserveCapacity(indexes.count)
        for range in indexes.ranges { elements += whole[range] }
        return elements
    }
}

/// What an operation does to members of a set.
struct SetEdit<Element: Hashable>: CollectionEdit {
    let kind: KeyValueChangeKind
    let gone: Set<Element>
    let come: Set<Element>

    init(_ kind: KeyValueChangeKind, gone: Set<Element> = [], come: Set<Element> = []) {
        self.kind = kind
        self.gone = gone
        self.come = come
    }

    var elements: ElementsChange? { ElementsChange(indexes: nil, isEmpty: gone.isEmpty && come.isEmpty) }

    func isRight(for value: Set<Element>, afterHandlers: Bool) -> Bool {
        // An operation on a set is given no closures.
        !afterHandlers || gone.isSubset(of: value) && come.subtracting(gone).isDisjoint(with: value)
    }

    func old(in whole: Set<Element>) -> Set<Element>? { kind == .insertion ? nil : gone }

    func new(in whole: Set<Element>) -> Set<Element>? { kind == .removal ? nil : come }
}
