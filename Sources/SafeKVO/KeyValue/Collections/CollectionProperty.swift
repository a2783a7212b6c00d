public import CSafeKVO

/// The collection at the end of a key path, and the ways to read it, to write it and to find its observers.
///
/// A collection that its object stores is edited in place. An atomic one is exchanged for an edited copy, again if another thread writes in
/// between. Any other one is assigned: that of a property that the object's class inherits and may override, and that of a key path with a
/// component that is no observed property.
@usableFromInline
final class CollectionProperty<Value: EditableCollection> {
    @usableFromInline let owner: AnyObject
    /// Finds the observers.
    @usableFromInline let list: () -> Unretained<ObserverList>?
    @usableFromInline let get: () -> Value
    /// Assigns the collection; notifies no observers of it if `isSilent` is `true`, because the edit does.
    @usableFromInline let set: (_ value: Value, _ isSilent: Bool) -> Void
    /// Reports an access to Swift's Observation, unless the setter does.
    @usableFromInline let track: (_TrackedAccess) -> Void
    /// The stored collection; nil if edits are assigned.
    @usableFromInline let stored: StoredProperty<Value>?
    @usableFromInline let atomic: AtomicCollection<Value>?
    @usableFromInline let property: UInt

    /// Makes the access to a collection that `owner` stores.
    @_alwaysEmitIntoClient
    init<Owner: KeyValueObservable>(_ owner: Owner, _ property: UInt, _ keyPath: ReferenceWritableKeyPath<Owner, Value>) {
        // SAFETY: this object retains the owner, and the owner stores the value at the offset `property`, which the property's getter has
        // reported.
        let stored = unsafe StoredProperty<Value>(of: owner, at: property)
        self.owner = owner
        self.property = property
        self.stored = stored
        list = { PropertyAccess.list(of: owner, property) { keyPath } }
        get = { stored.copy() }
        set = { _, _ in }
        track = { owner._track($0) { keyPath } }
        atomic = nil
    }

    /// Makes the access to a collection that is assigned.
    ///
    /// - Parameter inherited: The key path of the property in the class that declares it, if observers of that property are notified.
    init<Owner: KeyValueObservable>(
        assigning owner: Owner, _ keyPath: ReferenceWritableKeyPath<Owner, Value>, inherited: AnyKeyPath? = nil,
        atomic: AtomicCollection<Value>? = nil, list: @escaping () -> Unretained<ObserverList>? = { nil }
    ) {
        self.owner = owner
        self.list = list
        self.atomic = atomic
        property = 0
        stored = nil
        get = { owner[keyPath: keyPath] }
        set = { value, isSilent in
            let record = isSilent ? owner.keyValueRegistrar.record(of: owner) : nil
            let open = inherited.flatMap { record?.beginAnnouncement(of: $0, bare: nil).open }
            owner[keyPath: keyPath] = value
            if let open, record?.end(open, isBare: false) ?? false { record?.forget(open) }
        }
        track = { _ in }
    }

    /// Changes the collection, notifies its observers, and returns the edit that was planned.
    ///
    /// `plan` describes the operation, and may run user code. It is called again if a handler that is called before the change writes the
    /// collection. If more has changed than was planned, observers are told that instead.
    @_alwaysEmitIntoClient
    func edit(_ plan: (Value) -> CollectionEdit<Value>) -> CollectionEdit<Value> {
        if let atomic { return atomic.exchange { $0.apply(plan) } }
        track(.willSet)
        defer { track(.didSet) }
        var (planned, edit, whole) = planned(plan)
        guard let list = list(), var delivery = PropertyAccess.delivery(to: list) else {
            apply(edit, to: &whole, isSilent: false)
            return planned
        }
        delivery.settle()
        if delivery.wantsPriorCalls {
            var event = KeyValueEvent(edit, .prior, of: owner, wholeOld: whole, delivery)
            event.deliver(through: &delivery, onlyPrior: true)
            if !isSame(value, whole) { (planned, edit, whole) = self.planned(plan) }
        }
        let isStored = stored != nil
        let old = !isStored || delivery.wantsOldValues && safekvo_has_batch() ? whole : nil
        if isStored { delivery.setOpen(true) }
        apply(edit, to: &whole, isSilent: true)
        if isStored { delivery.setOpen(false) }
        // Another thread may change an inherited atomic collection now. So this change gets its number before the value is read.
        let number = isStored ? 0 : delivery.numberChange()
        let present = !isStored || delivery.wantsWholeValues ? value : nil
        if !isStored, let old, let present {
            // The setter may assign something else, or the getter return something else.
            if !isSame(present, whole) { edit = CollectionEdit(settingFrom: old, to: present) }
            // SAFETY: `owner`, the observed object, keeps its observer lists alive.
            unsafe list.with { $0.markUnlessNewest(number) }
        }
        var event = KeyValueEvent(
            edit, .after, of: owner, wholeOld: old, wholeNew: delivery.wantsWholeValues ? present : nil, delivery)
        event.header.number = number
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
        return planned
    }

    /// Plans an edit of the present collection, and returns the plan, the edit to make and the collection.
    ///
    /// If the closures of the operation write the collection meanwhile, that is overwritten, and the edit to make is a setting.
    @_alwaysEmitIntoClient
    func planned(
        _ plan: (Value) -> CollectionEdit<Value>
    ) -> (planned: CollectionEdit<Value>, edit: CollectionEdit<Value>, whole: Value) {
        var whole = value
        let edit = plan(whole)
        let present = value
        if isSame(present, whole, otherwise: true) { return (edit, edit, present) }
        warnOfOverwriting()
        whole.apply(edit)
        return (edit, CollectionEdit(settingFrom: present, to: whole), present)
    }

    /// Carries out an edit of the collection, which was `whole` before.
    ///
    /// A collection that is assigned is in `whole` afterwards. One that is stored is edited in place. Meanwhile, `hash(into:)` and `==` of
    /// members may use the property: a read gets an empty collection, and a write is overwritten and reported.
    @_alwaysEmitIntoClient
    func apply(_ edit: CollectionEdit<Value>, to whole: inout Value, isSilent: Bool) {
        guard let stored else {
            whole.apply(edit)
            return set(whole, isSilent)
        }
        // The storage must have no other owner, so that the edit does not copy it.
        whole = []
        stored.exchangeChecked(&whole)
        whole.apply(edit)
        stored.exchangeChecked(&whole)
        if !SameBytes.areSame(whole, []) { warnOfOverwriting() }
    }

    @_alwaysEmitIntoClient var value: Value { stored.map { $0.copy() } ?? get() }

    /// Returns `true` if a collection is the same as before.
    ///
    /// The getter of an assigned one may return another copy each time. Then the elements are compared. If they cannot be compared, the
    /// result is `otherwise`.
    @_alwaysEmitIntoClient
    func isSame(_ first: Value, _ second: Value, otherwise: Bool = false) -> Bool {
        SameBytes.areSame(first, second) || stored == nil && (first as? any Equatable)?.isEqual(to: second) ?? otherwise
    }

    @usableFromInline
    func warnOfOverwriting() { PropertyAccess.warnOfOverwriting(owner, property, .unknown) }
}

/// The way to edit the collection of an `AtomicObserved` property.
@usableFromInline
final class AtomicCollection<Value> {
    /// Calls a closure with a copy of the collection, and exchanges the collection for the copy.
    @usableFromInline let exchange: (_ edit: (inout Value) -> CollectionEdit<Value>) -> CollectionEdit<Value>

    @usableFromInline
    init<Owner: KeyValueObservable>(
        _ owner: Owner, _ property: UInt, _ keyPath: ReferenceWritableKeyPath<Owner, Value>,
        _ storage: ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
    ) where Value: Sendable {
        exchange = { edit in
            owner._track(.willSet) { storage }
            defer { owner._track(.didSet) { storage } }
            return AtomicChange.update(
                owner, property, at: .unknown, { keyPath }, cell: { owner[keyPath: storage].cell }, edit: { $0 }, edit)
        }
    }
}

extension CollectionProperty {
    /// Returns the access to the collection at the end of a key path; `isOwn` is `true` if its property belongs to `root` itself.
    ///
    /// If a component of the key path is no observed property, edits assign the whole collection.
    @usableFromInline
    static func property<Root: KeyValueObservable>(
        of root: Root, _ keyPath: ReferenceWritableKeyPath<Root, Value>
    ) -> (property: CollectionProperty, isOwn: Bool) {
        let recorder = AccessRecorder(Unretained(root).erased)
        recorder.noteResult(recorder.record { root[keyPath: keyPath] })
        let isChain = recorder.isChained && keyPath.isChain(of: recorder.hops.map { $0.keyPath })
        let isOfRoot = recorder.isChained && recorder.hops.count == 1
        guard let hop = recorder.hops.last, let last: CollectionProperty = hop.collection() else {
            return (CollectionProperty(assigning: root, keyPath), false)
        }
        // If a final class overrides an inherited property, the key paths to the two are different. But the values are the same.
        if hop.isInherited, isOfRoot, isChain || recorder.passed != .nothing {
            return (CollectionProperty(assigning: root, keyPath, inherited: isChain ? keyPath : hop.keyPath, list: last.list), isChain)
        }
        return isChain ? (last, isOfRoot) : (CollectionProperty(assigning: root, keyPath), false)
    }

    /// Makes the access to the collection that is an observed property of an object.
    convenience init<Owner: KeyValueObservable>(
        of owner: Owner, _ property: UInt, _ keyPath: ReferenceWritableKeyPath<Owner, Value>,
        atomic: AtomicCollection<Value>?
    ) {
        let isAtomic = atomic != nil
        if type(of: owner) != Owner.self {
            // The class may override the property. So edits call the getter and the setter.
            self.init(assigning: owner, keyPath, inherited: keyPath) {
                PropertyAccess.list(of: owner, property, isAtomic: isAtomic, events: Value.self, keyPath: { keyPath })
            }
        } else if isAtomic {
            self.init(assigning: owner, keyPath, atomic: atomic)
        } else {
            self.init(owner, property, keyPath)
        }
    }
}
