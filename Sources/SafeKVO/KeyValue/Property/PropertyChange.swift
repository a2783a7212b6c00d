/// A change of a property that is under way: from before the write to after it.
@usableFromInline
struct PropertyChange<Value>: ~Copyable {
    @usableFromInline var delivery: Delivery
    @usableFromInline var old: Value?

    @usableFromInline init(delivery: consuming Delivery) { self.delivery = delivery; old = nil }

    @inlinable @inline(never)
    static func begin<Owner: KeyValueObservable>(
        _ owner: Owner, _ property: UInt, _ keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) -> PropertyChange? {
        guard
            let list = PropertyAccess.list(owner.keyValueRegistrar, property)
                ?? PropertyAccess.listOfEntirelyObserved(owner, property, keyPath),
            let delivery = PropertyAccess.delivery(to: list)
        else {
            return nil
        }
        return PropertyChange(delivery: delivery)
    }

    @inlinable @inline(never)
    mutating func tellPrior(_ subject: AnyObject, new: Value?) {
        var event = KeyValueEvent(subject: subject, phase: .prior, new: new, old: old)
        event.deliver(through: &delivery, onlyPrior: true)
    }

    @inlinable @inline(never)
    consuming func finish(_ subject: AnyObject, new: Value) {
        var event = KeyValueEvent(subject: subject, phase: .after, new: new, old: old)
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
    }
}
