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
