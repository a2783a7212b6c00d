internal import CSafeKVO

/// A write to an `@AtomicObserved` property, with the notifications that it causes.
///
/// During the write, another thread may register an observer, which may read the old value as its initial one. So the library determines
/// after the write which observers to notify, and such an observer is notified, too. If an observer wants a call before the write, the
/// library determines them before it.
@usableFromInline
struct AtomicChange<Value>: ~Copyable {
    @usableFromInline let property: UInt
    @usableFromInline var delivery: Delivery?
    @usableFromInline var list: Unretained<ObserverList>?
    /// `true` once the property's observer list was looked up and found.
    @usableFromInline var isSettled = false
    @usableFromInline var isBegun = false
    /// The value that an overriding getter returned before the write; nil if observers get stored values.
    @usableFromInline var getterOld: Value?

    @inlinable
    init(_ property: UInt) {
        self.property = property
    }

    /// Writes a value and notifies the observers.
    @inlinable
    @inline(never)
    static func set<Owner: KeyValueObservable>(
        _ owner: Owner, _ property: UInt, _ cell: AtomicCell<Value>, to newValue: Value,
        keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        var change = AtomicChange(property)
        change.begin(owner, keyPath, isExact: false) { _ in
            KeyValueEvent(subject: owner, phase: .prior, new: newValue, old: cell.load())
        }
        let (old, write) = cell.exchange(newValue, change.numberedList)
        change.finish(owner, keyPath, cell, write, old: old, new: newValue)
    }

    /// Notifies observers of a write that was made while the object had none.
    ///
    /// An observer that has registered meanwhile may have read the old value as its initial one.
    @inlinable
    @inline(never)
    static func tell<Owner: KeyValueObservable>(
        _ owner: Owner, _ property: UInt, _ cell: AtomicCell<Value>, _ write: AtomicVersions.Write, old: Value, new: Value,
        keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        AtomicChange(property).finish(owner, keyPath, cell, write, old: old, new: new)
    }

    /// Applies a closure to a copy of the value and writes the copy, and repeats both if another thread has written meanwhile.
    ///
    /// Observers that want a call before the write get exactly one, however often the closure runs. If the closure itself writes the
    /// property, that write is overwritten, and a warning is reported.
    ///
    /// - Parameters:
    ///   - owner: The object that has the property.
    ///   - property: The number that identifies the property in the object.
    ///   - position: The source position of the update, for the warning.
    ///   - keyPath: Forms the key path of the property; returns nil if it is not known.
    ///   - cell: Returns the cell that the property has at the moment.
    ///   - edit: Describes what the closure did to the elements of a collection; nil if observers get the whole values.
    ///   - step: The closure, which changes the copy.
    /// - Returns: The result of the last call of the closure.
    /// - Throws: The error that the closure throws.
    static func update<Owner: KeyValueObservable, Result, Failure: Error>(
        _ owner: Owner, _ property: UInt, at position: SourcePosition, _ keyPath: () -> AnyKeyPath?, cell: () -> AtomicCell<Value>,
        edit: ((Result) -> any CollectionEdit<Value>)? = nil, _ step: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var change = AtomicChange(property)
        var isReported = false
        while true {
            let target = cell()
            let value = target.beginUpdatingValue()
            var copy = value
            let result: Result
            do throws(Failure) {
                result = try step(&copy)
            } catch {
                _ = target.endUpdate()
                change.cancel(owner)
                throw error
            }
            let update = target.endUpdate()
            let isOverwriting = update.isOverwriting || target !== cell()
            if isOverwriting, !isReported {
                isReported = true
                PropertyAccess.warnOfOverwriting(owner, property, position)
            }
            if update.isOvertaken { continue }
            let done = isOverwriting ? nil : edit?(result)
            change.begin(owner, keyPath, isExact: edit != nil) { delivery in
                guard let done else { return KeyValueEvent(subject: owner, phase: .prior, new: copy, old: value) }
                return KeyValueEvent(before: done, of: owner, whole: value, delivery)
            }
            // Fetch the cell again, because the closure may have replaced it. No other thread can replace it, so it stays the same during
            // the write.
            let present = cell()
            let written =
                present === target
                ? target.replace(with: copy, after: update, change.numberedList) : present.exchange(copy, change.numberedList)
            guard let (old, write) = written else { continue }
            if let done, present === target {
                change.finish(owner, keyPath, present, write, done, old: old, new: copy)
            } else {
                change.finish(owner, keyPath, present, write, old: old, new: copy)
            }
            return result
        }
    }

    /// Looks up the observers, and calls those that want a call before the write; does nothing the second time.
    ///
    /// - Parameters:
    ///   - owner: The object that has the property.
    ///   - keyPath: Forms the key path of the property; returns nil if it is not known.
    ///   - isExact: `true` if observers that register later get a different event than the present ones.
    ///   - event: Makes the event for the calls before the write.
    @inlinable
    mutating func begin<Owner: KeyValueObservable>(
        _ owner: Owner, _ keyPath: () -> AnyKeyPath?, isExact: Bool, _ event: (borrowing Delivery) -> KeyValueEvent<Value>
    ) {
        if isBegun { return }
        isBegun = true
        findObservers(owner, keyPath)
        guard var delivery = delivery.take() else { return }
        if isExact { delivery.settle() }
        if delivery.readsThroughGetter, delivery.wantsOldValues { getterOld = Self.getterValue(owner, keyPath) }
        if delivery.wantsPriorCalls {
            var event = event(delivery)
            if let getterOld, event.old != nil { event.old = getterOld }
            event.deliver(through: &delivery, onlyPrior: true)
        }
        self.delivery = consume delivery
    }

    /// The observer list that gives the write its serial number; nil if no observer is notified.
    @inlinable var numberedList: Unretained<ObserverList>? { delivery == nil ? nil : list }

    @inlinable
    mutating func findObservers<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: () -> AnyKeyPath?) {
        let known = PropertyAccess.namedList(of: owner, owner.keyValueRegistrar, property)
        guard let list = known ?? PropertyAccess.list(of: owner, property, events: Value.self, keyPath: keyPath) else { return }
        isSettled = true
        self.list = list
        delivery = PropertyAccess.delivery(to: list)
    }

    /// Notifies the observers after the write.
    @inlinable
    consuming func finish<Owner: KeyValueObservable>(
        _ owner: Owner, _ keyPath: () -> AnyKeyPath?, _ cell: AtomicCell<Value>, _ write: AtomicVersions.Write, old: Value, new: Value
    ) {
        if !isSettled { findObservers(owner, keyPath) }
        guard let list, var delivery = delivery.take() else { return }
        let number = cell.number(of: write, in: list)
        var event = KeyValueEvent(subject: owner, phase: .after, new: new, old: old)
        if delivery.readsThroughGetter, let value = Self.getterValue(owner, keyPath), !Bits.areSame(value, new) {
            // SAFETY: the owner keeps its lists.
            unsafe list.with { $0.noteRead(after: number) }
            event = KeyValueEvent(subject: owner, phase: .after, new: value, old: getterOld)
        }
        event.header.number = number
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
    }

    /// Returns the result of the property's getter, which may be an override; nil if the key path is not known.
    @inlinable
    static func getterValue<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: () -> AnyKeyPath?) -> Value? {
        (keyPath() as? KeyPath<Owner, Value>).map { keyPath in Recording.suspended { owner[keyPath: keyPath] } }
    }

    /// After the write, notifies the observers which elements were inserted, removed or replaced.
    ///
    /// Another thread may have registered an observer since the change began. That observer may have read the old or the new value, so it
    /// gets the whole values instead.
    private consuming func finish<Owner: KeyValueObservable>(
        _ owner: Owner, _ keyPath: () -> AnyKeyPath?, _ cell: AtomicCell<Value>, _ write: AtomicVersions.Write,
        _ edit: some CollectionEdit<Value>, old: Value, new: Value
    ) {
        guard isSettled else { return finish(owner, keyPath, cell, write, old: old, new: new) }
        guard let list, var delivery = delivery.take() else { return }
        var event = KeyValueEvent(before: edit, of: owner, whole: old, delivery)
        event.complete(edit, whole: new, delivery)
        event.header.number = cell.number(of: write, in: list)
        let (limit, number) = (delivery.settledLimit, event.header.number)
        delivery.leaveOutLate()
        event.deliver(through: &delivery, onlyPrior: false)
        // Observers that other threads registered during the update are notified one by one. A batch notifies them itself.
        for late in unsafe !safekvo_has_batch() ? list.object.infosOfOtherThreads(after: limit) : [] {
            var event = KeyValueEvent(subject: owner, phase: .after, new: new, old: old)
            event.header.number = number
            event.withPointer { pointer, box in ObservationBroker.shared.forwardAlone(pointer, to: late, box: box) }
        }
        delivery.finish()
    }

    private consuming func cancel<Owner: KeyValueObservable>(_ owner: Owner) {
        guard let delivery = delivery.take() else { return }
        if let list { KeyValueEventHeader.tellDependents(.abandoned, of: owner, list) }
        delivery.finish()
    }
}
