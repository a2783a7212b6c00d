internal import CSafeKVO

/// A collection that is stored in its object and changed there, without a copy.
final class StoredCollection<Owner: KeyValueObservable, Value>: CollectionProperty<Value> {
    private let owner: Owner
    private let property: UInt
    private let keyPath: ReferenceWritableKeyPath<Owner, Value>
    private let storage: ReferenceWritableKeyPath<Owner, Observed<Value>>

    init(
        _ owner: Owner, _ property: UInt, _ keyPath: ReferenceWritableKeyPath<Owner, Value>,
        _ storage: ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) {
        self.owner = owner
        self.property = property
        self.keyPath = keyPath
        self.storage = storage
    }

    override func edit<Result, Failure: Error>(
        _ edit: CollectionEdit<Value>, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let list = PropertyAccess.list(of: owner, property, spelled: keyPath), var delivery = PropertyAccess.delivery(to: list) else {
            return try body(&owner[keyPath: storage].value)
        }
        delivery.settle()
        // SAFETY: a thread-local word, compared and not followed.
        let isBatch = unsafe safekvo_batch() != nil
        let wantsOld = delivery.wantsOldValues
        /// Whether the change is no longer what it was announced as.
        var isSetting = false
        var event = KeyValueEvent<Value>(
            subject: owner, kind: edit.kind, phase: .prior, new: nil, old: wantsOld ? edit.old(owner[keyPath: storage].value) : nil,
            elements: edit.elements, wholeOld: wantsOld && isBatch ? owner[keyPath: storage].value : nil)
        if delivery.wantsPriorCalls {
            let mark = edit.mark(owner[keyPath: storage].value)
            event.deliver(through: &delivery, onlyPrior: true)
            // Who was called may have changed the collection.
            let whole = owner[keyPath: storage].value
            let isSame = edit.mark(whole) == mark
            if wantsOld { event.old = isSame ? edit.old(whole) : whole }
            if event.wholeOld != nil { event.wholeOld = whole }
            isSetting = !isSame
        }

        let result: Swift.Result<Result, Failure>
        delivery.setOpen(true)
        do {
            result = .success(try body(&owner[keyPath: storage].value))
        } catch {
            result = .failure(error)
        }
        delivery.setOpen(false)

        event.header.phase = .after
        if isSetting {
            event = KeyValueEvent(subject: owner, phase: .after, new: owner[keyPath: storage].value, old: event.old)
        } else {
            event.new = edit.new(owner[keyPath: storage].value)
        }
        if delivery.wantsWholeValues || isBatch { event.wholeNew = owner[keyPath: storage].value }
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
        return try result.get()
    }
}
