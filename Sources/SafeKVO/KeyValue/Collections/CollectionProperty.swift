/// An observed property that holds a collection.
class CollectionProperty<Value> {
    /// Changes the collection, and tells of it.
    ///
    /// - Parameters:
    ///   - plan: Works out what is to be done to a value, and what it takes. Closures of the user's run here, outside of any access to the
    ///     property. It is called again if the value is another one by the time that it is to be done.
    ///   - apply: Does it. The property may be open for as long, so it must not run anybody else's code: the `deinit` of an element is such
    ///     code, so what it removes must be left in the state or the result.
    /// - Returns: what `apply` returned.
    func edit<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        preconditionFailure("Internal error of SafeKVO: `CollectionProperty.edit` has no override. Please report it.")
    }
}

/// Plans an edit for a copy and does it there.
func editCopy<Value, Edit: CollectionEdit<Value>, State, Result>(
    _ copy: inout Value, _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
) -> (edit: Edit, state: State, result: Result) {
    var (edit, state) = plan(copy)
    let result = apply(&copy, &state)
    return (edit, state, result)
}

/// An observed property that holds a collection, of an object with a wrapper around it.
class WrappedCollection<Owner: KeyValueObservable, Value, Wrapper>: CollectionProperty<Value> {
    fileprivate let owner: Owner
    fileprivate let property: UInt
    fileprivate let keyPath: ReferenceWritableKeyPath<Owner, Value>
    fileprivate let storage: ReferenceWritableKeyPath<Owner, Wrapper>

    init(
        _ owner: Owner, _ property: UInt, _ keyPath: ReferenceWritableKeyPath<Owner, Value>,
        _ storage: ReferenceWritableKeyPath<Owner, Wrapper>
    ) {
        self.owner = owner
        self.property = property
        self.keyPath = keyPath
        self.storage = storage
    }
}

/// A collection that is stored in its object and changed there, without a copy.
final class StoredCollection<Owner: KeyValueObservable, Value>: WrappedCollection<Owner, Value, Observed<Value>> {
    override func edit<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        owner._track(.willSet) { keyPath }
        defer { owner._track(.didSet) { keyPath } }
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

/// A collection that threads share: it is changed as a copy, which takes its place unless another thread has written meanwhile.
final class AtomicCollection<Owner: KeyValueObservable, Value>: WrappedCollection<Owner, Value, AtomicObserved<Value>> {
    override func edit<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        owner._track(.willSet) { storage }
        defer { owner._track(.didSet) { storage } }
        return AtomicChange.update(
            owner, property, at: .unknown, { keyPath }, cell: { owner[keyPath: storage].cell }, edit: { $0.edit }
        ) {
            editCopy(&$0, plan, apply)
        }.result
    }
}

/// Finds the property that a key path ends in, by evaluating it.
final class PropertyFinder<Leaf>: AccessRecorder {
    private var hops: [AnyKeyPath] = []
    private var last: CollectionProperty<Leaf>?
    /// `true` if a value is what the last property stores, or if no class can override that.
    private var isStored: (Leaf) -> Bool = { _ in true }

    /// The property at the end of a key path; nil if the key path is not a chain of observed properties, each of the object before it.
    static func property<Root: KeyValueObservable>(of root: Root, _ keyPath: KeyPath<Root, Leaf>) -> CollectionProperty<Leaf>? {
        let finder = PropertyFinder(Unretained(root).erased)
        let value = finder.record { root[keyPath: keyPath] }
        // What an override works out is assigned by way of its setter.
        return finder.isChained && keyPath.isChain(of: finder.hops) && finder.isStored(value) ? finder.last : nil
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: AnyKeyPath
    ) {
        let keyPath = keyPath()
        hops.append(keyPath)
        isStored = { _ in true }
        if type(of: owner) != Owner.self, let storage = storage as? ReferenceWritableKeyPath<Owner, Observed<Leaf>> {
            isStored = { Bits.areSame(owner[keyPath: storage].value, $0) }
        }
        last = (keyPath as? ReferenceWritableKeyPath<Owner, Leaf>).flatMap { keyPath in
            switch storage {
            case let storage as ReferenceWritableKeyPath<Owner, Observed<Leaf>>: StoredCollection(owner, property, keyPath, storage)
            case let storage as ReferenceWritableKeyPath<Owner, AtomicObserved<Leaf>>: AtomicCollection(owner, property, keyPath, storage)
            default: nil
            }
        }
    }
}
