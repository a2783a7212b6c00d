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

    @inlinable @inline(never)
    static func begin<Owner: AnyObject>(
        _ list: Unretained<ObserverList>, of owner: Owner, old: Value, new: Value, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) -> PropertyChange? {
        guard var change = begin(list) else { return nil }
        if change.delivery.wantsOldValues { change.old = change.getterValue(owner, keyPath) ?? old }
        if change.delivery.wantsPriorCalls { change.tellPrior(owner, new: new) }
        return change
    }

    /// Notifies the observers in `list` after a write.
    ///
    /// The caller has checked that `isToldAfterwards` of ``PropertyAccess/listToTell(of:_:_:)`` is `true`.
    @inlinable @inline(never)
    static func tell(_ list: Unretained<ObserverList>, of subject: AnyObject, new: Value) {
        var event = KeyValueEvent(subject: subject, phase: .after, new: new, old: nil)
        EventPointer.with(mutable: &event) { event in
            PropertyAccess.tell(list, event) { KeyValueEventBox<Value>(copying: $0) }
        }
    }

    @inlinable @inline(never)
    mutating func tellPrior(_ subject: AnyObject, new: Value?) {
        var event = KeyValueEvent(subject: subject, phase: .prior, new: new, old: old)
        event.deliver(through: &delivery, onlyPrior: true)
    }

    @inlinable @inline(never)
    consuming func finish<Owner: AnyObject>(_ owner: Owner, new: Value, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>) {
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
