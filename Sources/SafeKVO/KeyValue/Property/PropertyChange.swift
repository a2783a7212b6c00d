public import CSafeKVO

/// A change of a property that is under way: from before the write to after it.
@usableFromInline
struct PropertyChange<Value>: ~Copyable {
    @usableFromInline var delivery: Delivery
    @usableFromInline var old: Value?

    @usableFromInline init(delivery: consuming Delivery) { self.delivery = delivery; old = nil }

    @inlinable @inline(never)
    static func begin(_ list: Unretained<ObserverList>?) -> PropertyChange? {
        guard let list, let delivery = PropertyAccess.delivery(to: list) else { return nil }
        return PropertyChange(delivery: delivery)
    }

    /// Tells the observers of an assignment that nobody wanted to know of before.
    @inlinable @inline(never)
    static func tell(_ list: Unretained<ObserverList>, of subject: AnyObject, new: Value) {
        var event = KeyValueEvent(subject: subject, phase: .after, new: new, old: nil)
        unsafe withUnsafeMutablePointer(to: &event) { pointer in
            // SAFETY: the pointer is used during the calls only.
            if safekvo_has_batch() { return unsafe postpone(list, pointer) }
            unsafe PropertyAccess.tell(list, UnsafeMutableRawPointer(pointer)) { TypedEventBox<KeyValueEvent<Value>>(copying: $0) }
        }
    }

    @inlinable @inline(never)
    static func postpone(_ list: Unretained<ObserverList>, _ event: UnsafeMutablePointer<KeyValueEvent<Value>>) {
        guard var delivery = PropertyAccess.delivery(to: list) else { return }
        // SAFETY: the caller lends the event for this call.
        unsafe event.pointee.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
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
