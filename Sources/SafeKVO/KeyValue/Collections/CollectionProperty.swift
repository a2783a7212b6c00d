@usableFromInline
class CollectionProperty<Value> {
    /// Changes the collection and notifies its observers.
    ///
    /// `plan` describes the operation. `plan` may run user code, and is called again if the collection changes meanwhile.
    ///
    /// `apply` carries out the operation with exclusive access to the collection. So `apply` must not release removed elements, and must
    /// not run user code other than `hash(into:)` and `==`.
    @usableFromInline
    func edit<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        preconditionFailure("Internal error of SafeKVO: `CollectionProperty.edit` has no override. Please report it.")
    }

    /// Returns the collection of `subject` at `keyPath` if this is it and the class of `subject` inherits the property; otherwise nil.
    @usableFromInline
    func inherited<Subject: KeyValueObservable>(
        by subject: Subject, _ keyPath: ReferenceWritableKeyPath<Subject, Value>
    ) -> InheritedCollection<Subject, Value>? { nil }

    /// Returns this collection, with edits that call `assign` instead of the property's setter; nil if the object's class declares it.
    func assigned(by assign: @escaping (Value) -> Void) -> CollectionProperty<Value>? { nil }
}

extension CollectionProperty {
    /// Finds the collection at the end of a key path, for edits of its elements.
    ///
    /// Returns nil if a component of the key path is no observed property.
    @usableFromInline
    static func property<Root: KeyValueObservable>(
        of root: Root, _ keyPath: ReferenceWritableKeyPath<Root, Value>
    ) -> CollectionProperty? {
        let recorder = AccessRecorder(Unretained(root).erased)
        let value = recorder.record { root[keyPath: keyPath] }
        guard recorder.isChained, let found = recorder.hops.last?.editor() as? CollectionProperty else { return nil }
        if keyPath.isChain(of: recorder.hops.map(\.keyPath)) { return found }
        // If a final class overrides an inherited property, the key paths to the two are different. But the values are the same.
        recorder.noteResult(value)
        return recorder.hops.count == 1 && recorder.passed != .nothing ? found.assigned { root[keyPath: keyPath] = $0 } : nil
    }

    /// Makes what edits an observed property; returns nil if its values have no bytes.
    ///
    /// `atomic` edits the property if it is atomic, and is nil for any other property.
    static func editor<Owner: KeyValueObservable>(
        of owner: Owner, _ property: UInt, _ keyPath: ReferenceWritableKeyPath<Owner, Value>, _ atomic: CollectionProperty?
    ) -> CollectionProperty? {
        if type(of: owner) != Owner.self {
            let isAtomic = atomic != nil
            // The class may override the property. So edits call the getter and the setter.
            return InheritedCollection(owner, keyPath) {
                PropertyAccess.list(of: owner, property, isAtomic: isAtomic, events: Value.self, keyPath: { keyPath })
            }
        }
        return atomic ?? (MemoryLayout<Value>.size > 0 ? StoredCollection(owner, property, keyPath) : nil)
    }
}

@inlinable
func editCopy<Value, Edit: CollectionEdit<Value>, State, Result>(
    _ copy: inout Value, _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
) -> (edit: Edit, state: State, result: Result) {
    var (edit, state) = plan(copy)
    let result = apply(&copy, &state)
    return (edit, state, result)
}

@usableFromInline
final class StoredCollection<Owner: KeyValueObservable, Value>: CollectionProperty<Value> {
    @usableFromInline let owner: Owner
    @usableFromInline let keyPath: ReferenceWritableKeyPath<Owner, Value>
    @usableFromInline let property: UInt

    init(_ owner: Owner, _ property: UInt, _ keyPath: ReferenceWritableKeyPath<Owner, Value>) {
        self.owner = owner
        self.keyPath = keyPath
        self.property = property
    }

    // SAFETY: this object retains the owner, and the owner stores the value at the offset `property`, which the property's getter has
    // reported.
    @inlinable var stored: StoredProperty<Value> { unsafe StoredProperty(of: owner, at: property) }

    @inlinable
    override func edit<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        owner._track(.willSet) { keyPath }
        defer { owner._track(.didSet) { keyPath } }
        var (edit, state) = plan(stored.copy())
        var isRight = edit.isRight(for: stored.copy(), afterHandlers: false)
        guard let list = PropertyAccess.list(of: owner, property, { keyPath }), var delivery = PropertyAccess.delivery(to: list) else {
            return isRight ? self.apply(edit, &state, apply) : replaceCopy(plan, apply)
        }
        delivery.settle()
        var event = KeyValueEvent(before: isRight ? edit : nil, of: owner, whole: stored.copy(), delivery)
        if delivery.wantsPriorCalls {
            event.deliver(through: &delivery, onlyPrior: true)
            // The handlers may have changed the collection, so that the planned edit no longer fits.
            isRight = isRight && edit.isRight(for: stored.copy(), afterHandlers: true)
            event = KeyValueEvent(before: isRight ? edit : nil, of: owner, whole: stored.copy(), delivery)
        }

        let result: Result
        if isRight {
            delivery.setOpen(true)
            result = self.apply(edit, &state, apply)
            delivery.setOpen(false)
            event.complete(edit, whole: stored.copy(), delivery)
        } else {
            result = replaceCopy(plan, apply)
            event.header.phase = .after
            event.new = stored.copy()
        }
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
        return withExtendedLifetime(state) { result }
    }

    /// Applies an operation to the collection without a copy.
    ///
    /// Meanwhile, `hash(into:)` and `==` of members may use the property: a read gets an empty collection, and a write is overwritten and
    /// reported.
    @inlinable
    func apply<Edit: CollectionEdit<Value>, State, Result>(
        _ edit: Edit, _ state: inout State, _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        var value = Edit.empty
        stored.exchangeChecked(&value)
        let result = apply(&value, &state)
        stored.exchangeChecked(&value)
        if !Bits.areSame(value, Edit.empty) { warnOfOverwriting() }
        return result
    }

    @usableFromInline
    func warnOfOverwriting() { PropertyAccess.warnOfOverwriting(owner, property, .unknown) }

    /// Applies an operation to a copy of the collection, and then stores the copy, which overwrites other changes in between.
    @inlinable
    func replaceCopy<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        var copy = stored.copy()
        let done = editCopy(&copy, plan, apply)
        stored.exchangeChecked(&copy)
        return withExtendedLifetime(done) { done.result }
    }
}

/// The collection of an `AtomicObserved` property.
///
/// An edit changes a copy, which then replaces the collection. If another thread writes the property in between, the edit starts again.
@usableFromInline
final class AtomicCollection<Owner: KeyValueObservable, Value: Sendable>: CollectionProperty<Value> {
    private let owner: Owner
    private let property: UInt
    private let keyPath: ReferenceWritableKeyPath<Owner, Value>
    private let storage: ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>

    @usableFromInline
    init(
        _ owner: Owner, _ property: UInt, _ keyPath: ReferenceWritableKeyPath<Owner, Value>,
        _ storage: ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
    ) {
        self.owner = owner
        self.property = property
        self.keyPath = keyPath
        self.storage = storage
    }

    @usableFromInline
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
