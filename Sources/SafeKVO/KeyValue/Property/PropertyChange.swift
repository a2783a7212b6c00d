/// A change of an `@Observed` property, from before the write until the observers are notified.
@usableFromInline
struct PropertyChange<Value>: ~Copyable {
    @usableFromInline var delivery: Delivery
    @usableFromInline var old: Value?

    @usableFromInline init(delivery: consuming Delivery) { self.delivery = delivery; old = nil }

    @inlinable @inline(__always)
    static func begin(_ list: Unretained<ObserverList>?) -> PropertyChange? {
        guard let list, let delivery = PropertyAccess.delivery(to: list) else { return nil }
        return PropertyChange(delivery: delivery)
    }

    /// Writes the stored value, and notifies the observers in `list` before and after.
    ///
    /// The caller must retain `owner`, and must have checked that no other access to the stored value is in progress.
    @inlinable @inline(never)
    static func write<Owner: AnyObject>(
        _ new: Value, to stored: StoredProperty<Value>, of owner: Owner, _ list: Unretained<ObserverList>,
        _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        // SAFETY: (of the accesses to `stored`) only `Observed.assign` calls this function. It retains `owner`, and has checked that no
        // other access is in progress.
        // The `deinit` of the old value may read this property. So `value` keeps the old value until the access has ended.
        var value = new
        guard var change = begin(list) else { return unsafe stored.exchange(&value) }
        if change.delivery.wantsOldValues { change.old = unsafe change.getterValue(owner, keyPath) ?? stored.value }
        if change.delivery.wantsPriorCalls { change.tellPrior(owner, new: new) }
        unsafe stored.exchange(&value)
        change.finishHere(owner, new: new, keyPath)
    }

    /// Notifies the observers in `list` after a write.
    ///
    /// The caller knows from ``PropertyAccess/listToTell(of:_:_:offset:)`` that the write needed no work before it.
    @inlinable @inline(never)
    static func tell(_ list: Unretained<ObserverList>, of subject: AnyObject, new: Value) {
        var event = KeyValueEvent(subject: subject, phase: .after, new: new, old: nil)
        EventPointer.with(mutable: &event) { event in
            PropertyAccess.tell(list, event) { TypedEventBox<KeyValueEvent<Value>>(copying: $0) }
        }
    }

    @inlinable @inline(never)
    mutating func tellPrior(_ subject: AnyObject, new: Value?) {
        // The getter may return another value than the one that is written, so a filter of duplicates must not compare that one.
        var event = KeyValueEvent(subject: subject, phase: .prior, new: delivery.readsThroughGetter ? nil : new, old: old)
        event.deliver(through: &delivery, onlyPrior: true)
    }

    @inlinable @inline(never)
    consuming func finish<Owner: AnyObject>(_ owner: Owner, new: Value, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>) {
        finishHere(owner, new: new, keyPath)
    }

    @inlinable @inline(__always)
    consuming func finishHere<Owner: AnyObject>(_ owner: Owner, new: Value, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>) {
        let number = delivery.numberChangeOfOneThread()
        var event = KeyValueEvent(subject: owner, phase: .after, new: getterValue(owner, keyPath) ?? new, old: old)
        event.header.number = number
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
    }

    /// Reads the value through the getter if a subclass may override the getter; otherwise returns nil.
    ///
    /// Observers must get the value that the getter returns, which may differ from the stored value.
    @inlinable
    func getterValue<Owner: AnyObject>(_ owner: Owner, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>) -> Value? {
        delivery.readsThroughGetter ? Recording.suspended { owner[keyPath: keyPath()] } : nil
    }
}
