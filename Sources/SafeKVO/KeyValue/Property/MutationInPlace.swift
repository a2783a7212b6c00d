/// A mutation in place of an `@Observed` property while the object is observed.
@usableFromInline
struct MutationInPlace<Value>: ~Copyable {
    @usableFromInline let stored: StoredProperty<Value>
    /// The notification of the observers; nil if the mutation must not notify them.
    @usableFromInline var delivery: Delivery?
    @usableFromInline let old: Value?
    /// The property's list, if there is one, and the mutation notifies nobody.
    @usableFromInline let silentList: Unretained<ObserverList>?

    @_alwaysEmitIntoClient
    init(_ stored: StoredProperty<Value>, _ delivery: consuming Delivery?, old: Value?, silently silentList: Unretained<ObserverList>?) {
        self.stored = stored
        self.delivery = delivery
        self.old = old
        self.silentList = silentList
    }

    /// Notifies the observers that want a call before the change.
    ///
    /// The caller must retain `owner`, and must have checked that no other access to the property is in progress.
    @_alwaysEmitIntoClient
    @inline(never)
    static func begin<Owner: KeyValueObservable>(
        of owner: Owner, _ property: UInt, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) -> MutationInPlace {
        owner._track(.willSet) { keyPath() }
        // SAFETY: (of the accesses to `stored`) the caller retains `owner`, which stores the value at the offset `property`. No other
        // access is in progress here. Handlers that run here end their accesses.
        let stored = unsafe StoredProperty<Value>(of: owner, at: property)
        let (known, isReady) = PropertyAccess.listToTell(
            of: owner, owner.keyValueRegistrar, property, offset: MemoryLayout<Value>.size == 0 ? 0 : property)
        let list = known ?? (isReady ? nil : PropertyAccess.list(of: owner, property, events: Value.self, keyPath: keyPath))
        guard let list, var delivery = PropertyAccess.delivery(to: list) else {
            return MutationInPlace(
                stored, nil, old: nil, silently: PropertyAccess.openSilently(owner, owner.keyValueRegistrar, property))
        }
        delivery.settle()
        let old: Value? = delivery.wantsOldValues ? unsafe PropertyAccess.getterValue(owner, delivery, keyPath) ?? stored.value : nil
        if delivery.wantsPriorCalls { PropertyAccess.notifyPrior(owner, through: &delivery, of: Value.self, new: nil, old: old) }
        delivery.setOpen(true)
        return MutationInPlace(stored, delivery, old: old, silently: nil)
    }

    /// Notifies the observers, after the access to the property has ended.
    @_alwaysEmitIntoClient
    @inline(never)
    mutating func end<Owner: KeyValueObservable>(of owner: Owner, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>) {
        if let delivery = delivery.take() {
            delivery.setOpen(false)
            unsafe PropertyAccess.finish(owner, delivery, new: stored.value, old: old, keyPath)
        } else if let silentList {
            PropertyAccess.closeSilently(silentList, of: owner)
        }
        owner._track(.didSet) { keyPath() }
    }
}
