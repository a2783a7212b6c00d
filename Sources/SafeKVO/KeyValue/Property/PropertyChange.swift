public import CSafeKVO

/// The steps of a change of an `@Observed` property, from before the write until the observers are notified.
///
/// Functions with `@_alwaysEmitIntoClient` are compiled into the modules that use them, and not into this one.
extension PropertyAccess {
    /// Writes the stored value, and notifies the observers in `list` before and after.
    ///
    /// The caller must retain `owner`, and must have checked that no other access to the stored value is in progress.
    @_alwaysEmitIntoClient @inline(never)
    static func write<Owner: AnyObject, Value>(
        _ new: Value, to stored: StoredProperty<Value>, of owner: Owner, _ list: Unretained<ObserverList>,
        _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        // SAFETY: (of the accesses to `stored`) only `Observed.assign` calls this function. It retains `owner`, and has checked that no
        // other access is in progress.
        // The `deinit` of the old value may read this property. So `value` keeps the old value until the access has ended.
        var value = new
        guard var delivery = delivery(to: list) else { return unsafe stored.exchange(&value) }
        let old: Value? = delivery.wantsOldValues ? unsafe getterValue(owner, delivery, keyPath) ?? stored.value : nil
        if delivery.wantsPriorCalls { notifyPrior(owner, through: &delivery, of: Value.self, new: new, old: old) }
        unsafe stored.exchange(&value)
        finishHere(owner, delivery, new: new, old: old, keyPath)
    }

    /// Notifies the observers in `list` after a write.
    ///
    /// The caller knows from ``listToTell(of:_:_:offset:)`` that the write needed no work before it.
    @_alwaysEmitIntoClient @inline(never)
    static func notify<Value>(_ list: Unretained<ObserverList>, of subject: AnyObject, new: Value) {
        var event = KeyValueEvent<Value>(subject: subject, phase: .after, new: new, old: nil)
        EventPointer.with(mutable: &event) { event in
            notify(list, event) { TypedEventBox<KeyValueEvent<Value>>(copying: $0) }
        }
    }

    @_alwaysEmitIntoClient @inline(never)
    static func notifyPrior<Value>(
        _ subject: AnyObject, through delivery: inout Delivery, of type: Value.Type, new: Value?, old: Value?
    ) {
        // The getter may return another value than the one that is written, so a filter of duplicates must not compare that one.
        var event = KeyValueEvent<Value>(subject: subject, phase: .prior, new: delivery.readsThroughGetter ? nil : new, old: old)
        event.deliver(through: &delivery, onlyPrior: true)
    }

    @_alwaysEmitIntoClient @inline(never)
    static func finish<Owner: AnyObject, Value>(
        _ owner: Owner, _ delivery: consuming Delivery, new: Value, old: Value?, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        finishHere(owner, delivery, new: new, old: old, keyPath)
    }

    @_alwaysEmitIntoClient @inline(__always)
    static func finishHere<Owner: AnyObject, Value>(
        _ owner: Owner, _ delivery: consuming Delivery, new: Value, old: Value?, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        let number = delivery.numberChangeOfOneThread()
        var event = KeyValueEvent<Value>(subject: owner, phase: .after, new: getterValue(owner, delivery, keyPath) ?? new, old: old)
        event.header.number = number
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
    }

    /// Reads the value through the getter if a subclass may override the getter; otherwise returns nil.
    ///
    /// Observers must get the value that the getter returns, which may differ from the stored value.
    @_alwaysEmitIntoClient
    static func getterValue<Owner: AnyObject, Value>(
        _ owner: Owner, _ delivery: borrowing Delivery, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) -> Value? {
        delivery.readsThroughGetter ? Recording.suspended { owner[keyPath: keyPath()] } : nil
    }
}

/// The stored value of a property, reached by its offset in the object.
///
/// Do not replace the offset by a key path: the compiler would then add an exclusivity check to every access in the module that forms the
/// key path.
@safe
@usableFromInline
struct StoredProperty<Value> {
    @usableFromInline let address: UnsafeMutablePointer<Value>

    /// Finds the stored value of an object; the offset is ignored if `Value` has size zero.
    ///
    /// The caller must retain the object as long as it uses this value, and must know that the object stores a value of this type at the
    /// offset.
    @unsafe @_alwaysEmitIntoClient
    init(of owner: AnyObject, at offset: UInt) {
        let start = unsafe Unmanaged.passUnretained(owner).toOpaque()
        let offset = MemoryLayout<Value>.size == 0 ? 0 : Int(bitPattern: offset)
        // SAFETY: the caller knows that the object stores a value of this type at the offset.
        unsafe address = (start + offset).assumingMemoryBound(to: Value.self)
    }

    /// The stored value, read without an exclusivity check; the caller must know that no write to the property is in progress.
    @unsafe @_alwaysEmitIntoClient var value: Value { unsafe address.pointee }

    /// Exchanges the stored value and `value`; the caller must have checked that no other access is in progress.
    @unsafe @_alwaysEmitIntoClient
    func exchange(_ value: inout Value) {
        unsafe swap(&address.pointee, &value)
    }

    /// Returns a copy of the value; traps if the property is being mutated in place.
    @_alwaysEmitIntoClient
    func copy() -> Value {
        var access = safekvo_access()
        // SAFETY: with the flags 0, the runtime checks that no write is in progress, and records no access that must be ended. No other
        // code runs during the copy.
        unsafe swift_beginAccess(address, &access, 0, nil)
        return unsafe value
    }

    /// Exchanges the stored value and `value`; traps if another access to the property is in progress.
    @_alwaysEmitIntoClient
    func exchangeChecked(_ value: inout Value) {
        var access = safekvo_access()
        // SAFETY: with the flags 1, the runtime checks that no other access is in progress, and records no access that must be ended. No
        // other code runs during the exchange.
        unsafe swift_beginAccess(address, &access, 1, nil)
        unsafe exchange(&value)
    }
}
