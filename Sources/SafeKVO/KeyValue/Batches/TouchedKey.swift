/// A key of an object that has been changed in a batch.
struct TouchedKey {
    let list: ObserverList
    let subject: AnyObject
    // This reference keeps the record, which owns the list.
    private let record: ObservationRecord
    /// The value before the batch's first change, in an ``OldValue``; nil if no observer asked for it then.
    private let old: AnyObject?
    /// How the value is found at the end.
    var settle: Settling
    /// The newest serial number at the last change; later observers have not missed any.
    var limit: UInt64
    /// `true` if a change has ended, not only begun.
    var isChanged = false
    /// `true` if another isolation may have made each change, so that handlers that one thread at a time may use are not called.
    var isShared: Bool

    /// Reads the value at the end of the batch, and returns the event for the observers; nil if there is nothing to deliver.
    typealias Settling = (_ list: ObserverList, _ subject: AnyObject, _ old: AnyObject?) -> EventBox?

    init(_ list: ObserverList, of subject: AnyObject, limit: UInt64, isShared: Bool, old: AnyObject?, settle: @escaping Settling) {
        self.list = list
        self.subject = subject
        record = list.record
        self.limit = limit
        self.isShared = isShared
        self.old = old
        self.settle = settle
    }

    func event() -> EventBox? { settle(list, subject, old) }

    /// The observers who are notified at the end of the batch.
    var infos: [ObservationInfo] {
        list.infos().filter { !$0.isDependency && !$0.isLinked(after: limit) && !(isShared && $0.flags.isUnprotected) }
    }
}

@usableFromInline
package final class KeyValueEventBox<Value>: EventBox {
    @usableFromInline let event: KeyValueEvent<Value>

    @inlinable
    package convenience init(copying pointer: EventPointer) {
        // SAFETY: the code that makes this box also made the event, so `Value` is the type of its values.
        self.init(unsafe pointer.view(as: KeyValueEvent<Value>.self).pointee)
    }

    @inlinable
    package init(_ event: KeyValueEvent<Value>) {
        self.event = event
        super.init()
    }

    override func withEvent(_ body: (EventPointer) -> Void) {
        EventPointer.with(event) { pointer, _ in body(pointer) }
    }
}
