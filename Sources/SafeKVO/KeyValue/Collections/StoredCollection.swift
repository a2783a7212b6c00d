/// A collection that is stored in its object and changed there, without a copy.
final class StoredCollection<Owner: KeyValueObservable, Value>: CollectionProperty<Value> {
    private let owner: Owner
    private let property: UInt
    private let keyPath: ReferenceWritableKeyPath<Owner, Value>
    private let storage: ReferenceWritableKeyPath<Owner, Observed<Value>>

    init(
        _ owner: Owner, _ property: UInt, _ keyPath: ReferenceWritableKeyPath<Owner, Value>,
        _ storage: ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) {
        self.owner = owner
        self.property = property
        self.keyPath = keyPath
        self.storage = storage
    }

    override func edit<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        var (edit, state) = plan(owner[keyPath: storage].value)
        var isRight = edit.isRight(for: owner[keyPath: storage].value, afterHandlers: false)
        guard let list = PropertyAccess.list(of: owner, property, spelled: keyPath), var delivery = PropertyAccess.delivery(to: list) else {
            return isRight ? applyInPlace(&state, apply) : replaceCopy(plan, apply)
        }
        delivery.settle()
        var event = event(before: isRight ? edit : nil, delivery)
        if delivery.wantsPriorCalls {
            event.deliver(through: &delivery, onlyPrior: true)
            // Who was called may have changed the collection.
            isRight = isRight && edit.isRight(for: owner[keyPath: storage].value, afterHandlers: true)
            event = self.event(before: isRight ? edit : nil, delivery)
        }

        let result: Result
        if isRight {
            delivery.setOpen(true)
            result = applyInPlace(&state, apply)
            delivery.setOpen(false)
            event.complete(edit, whole: owner[keyPath: storage].value, delivery)
        } else {
            result = replaceCopy(plan, apply)
            event.header.phase = .after
            event.new = owner[keyPath: storage].value
        }
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
        return withExtendedLifetime(state) { result }
    }

    /// What is told before an edit: a setting if it is not known any more what it means.
    private func event(before edit: (some CollectionEdit<Value>)?, _ delivery: borrowing Delivery) -> KeyValueEvent<Value> {
        if let edit { return KeyValueEvent(before: edit, of: owner, whole: owner[keyPath: storage].value, delivery) }
        return KeyValueEvent(subject: owner, phase: .prior, new: nil, old: delivery.wantsOldValues ? owner[keyPath: storage].value : nil)
    }

    private func applyInPlace<State, Result>(_ state: inout State, _ apply: (inout Value, inout State) -> Result) -> Result {
        apply(&owner[keyPath: storage].value, &state)
    }

    /// Changes a copy, which then takes the place of the collection.
    ///
    /// Whatever closures and handlers do to the collection meanwhile, the edit fits the copy.
    private func replaceCopy<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        var copy = owner[keyPath: storage].value
        let done = editCopy(&copy, plan, apply)
        swap(&owner[keyPath: storage].value, &copy)
        return withExtendedLifetime(done) { done.result }
    }
}
