/// The collection of a property that the class of its object inherits, and may override.
///
/// An edit changes a copy and assigns the copy, so that an overriding setter runs. If the getter then returns an equal collection,
/// observers are notified of the elements that the edit concerns; otherwise, of a setting of the whole collection.
@usableFromInline
final class InheritedCollection<Owner: KeyValueObservable, Value>: CollectionProperty<Value> {
    private let owner: Owner
    private let keyPath: ReferenceWritableKeyPath<Owner, Value>
    private let setter: ((Value) -> Void)?
    /// Finds the observers of the property; knows the class that declares the property.
    @usableFromInline let list: () -> Unretained<ObserverList>?

    init(
        _ owner: Owner, _ keyPath: ReferenceWritableKeyPath<Owner, Value>, setter: ((Value) -> Void)? = nil,
        list: @escaping () -> Unretained<ObserverList>?
    ) {
        self.owner = owner
        self.keyPath = keyPath
        self.setter = setter
        self.list = list
    }

    override func inherited<Subject: KeyValueObservable>(
        by subject: Subject, _ keyPath: ReferenceWritableKeyPath<Subject, Value>
    ) -> InheritedCollection<Subject, Value>? {
        // A longer key path may lead back to the subject itself.
        let isWhole = owner === subject && self.keyPath.isSpelling(of: keyPath)
        return isWhole ? InheritedCollection<Subject, Value>(subject, keyPath, list: list) : nil
    }

    override func assigned(by assign: @escaping (Value) -> Void) -> CollectionProperty<Value>? {
        InheritedCollection(owner, keyPath, setter: assign, list: list)
    }

    @inlinable
    override func edit<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        var (edit, state) = plan(value)
        // Closures of the operation may have changed the collection, so that the planned edit no longer fits.
        var copy = value
        var isRight = edit.isRight(for: copy, afterHandlers: false)
        guard let list = list(), var delivery = PropertyAccess.delivery(to: list) else {
            if !isRight { (edit, state) = plan(copy) }
            let result = apply(&copy, &state)
            assign(copy)
            return withExtendedLifetime(state) { result }
        }
        delivery.settle()
        var event = KeyValueEvent(before: isRight ? edit : nil, of: subject, whole: copy, delivery)
        if delivery.wantsPriorCalls {
            event.deliver(through: &delivery, onlyPrior: true)
            // So may the handlers.
            copy = value
            isRight = isRight && edit.isRight(for: copy, afterHandlers: true)
            event = KeyValueEvent(before: isRight ? edit : nil, of: subject, whole: copy, delivery)
        }
        if !isRight { (edit, state) = plan(copy) }
        let old = delivery.wantsOldValues ? copy : nil
        let result = apply(&copy, &state)
        assignSilently(copy)
        let new = value
        if isRight, isEqual(new, copy) {
            event.complete(edit, whole: new, delivery)
        } else {
            event = KeyValueEvent(subject: subject, phase: .after, new: new, old: old)
        }
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
        return withExtendedLifetime(state) { result }
    }

    /// Returns `true` if two collections are the same, or if their elements can be compared and are equal.
    @inlinable
    func isEqual(_ first: Value, _ second: Value) -> Bool {
        Bits.word(of: first) == Bits.word(of: second) || (first as? any Equatable)?.isEqual(to: second) ?? false
    }

    @usableFromInline var subject: AnyObject { owner }

    @usableFromInline var value: Value { owner[keyPath: keyPath] }

    @usableFromInline
    func assign(_ value: Value) {
        if let setter { setter(value) } else { owner[keyPath: keyPath] = value }
    }

    /// Assigns the property; the assignment itself notifies nobody, because the edit does.
    @usableFromInline
    func assignSilently(_ value: Value) {
        let record = owner.keyValueRegistrar.record(of: owner)
        let open = record.beginAnnouncement(of: keyPath, bare: nil).open
        assign(value)
        _ = record.end(open, isBare: false)
    }
}
