/// A write to an `@AtomicObserved` property, with the notifications that it causes.
///
/// An observer that registers during the write may have got the old value. To notify that observer, too, the observers are chosen after the
/// write, unless one of them wants a call before.
@usableFromInline
struct AtomicChange<Value: Sendable>: ~Copyable {
    @usableFromInline let property: UInt
    @usableFromInline var delivery: Delivery?
    @usableFromInline var list: Unretained<ObserverList>?
    @usableFromInline var isSettled = false
    @usableFromInline var isBegun = false
    /// The getter's result before the write; nil unless a subclass may override the getter.
    @usableFromInline var getterOld: Value?

    @_alwaysEmitIntoClient
    init(_ property: UInt) {
        self.property = property
    }

    @_alwaysEmitIntoClient
    @inline(never)
    static func set<Owner: KeyValueObservable>(
        _ owner: Owner, _ property: UInt, _ cell: AtomicCell<Value>, to newValue: Value,
        keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, presentCell: () -> AtomicCell<Value>
    ) {
        var change = AtomicChange(property)
        let hasCalled = change.begin(owner, keyPath, isExact: false) { delivery in
            KeyValueEvent(subject: owner, phase: .prior, new: delivery.readsThroughGetter ? nil : newValue, old: cell.load())
        }
        // A handler may have replaced the cell.
        let cell = hasCalled ? presentCell() : cell
        let (old, write) = cell.exchange(newValue, change.numberedList)
        change.finish(owner, keyPath, cell, write, old: old, new: newValue)
    }

    /// Notifies observers after a write that found none at its beginning, because another thread may have registered some meanwhile.
    @_alwaysEmitIntoClient
    @inline(never)
    static func notify<Owner: KeyValueObservable>(
        _ owner: Owner, _ property: UInt, _ cell: AtomicCell<Value>, _ write: AtomicCellBase.Write, old: Value, new: Value,
        keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        AtomicChange(property).finish(owner, keyPath, cell, write, old: old, new: new)
    }

    /// Calls `step` with a copy of the value, then writes the copy; starts again if another thread has written meanwhile.
    ///
    /// If `step` itself writes the property, that write is overwritten, and a warning is reported.
    static func update<Owner: KeyValueObservable, Result, Failure: Error>(
        _ owner: Owner, _ property: UInt, at position: SourcePosition, _ keyPath: () -> AnyKeyPath?, cell: () -> AtomicCell<Value>,
        edit: ((Result) -> CollectionEdit<Value>)? = nil, _ step: (inout Value) throws(Failure) -> Result
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
                change.cancel()
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
                guard let done else {
                    return KeyValueEvent(subject: owner, phase: .prior, new: delivery.readsThroughGetter ? nil : copy, old: value)
                }
                return KeyValueEvent(done, .prior, of: owner, wholeOld: value, delivery)
            }
            // Fetch the cell again, because `step` may have replaced it.
            let present = cell()
            let written =
                present === target
                ? target.replace(with: copy, after: update, change.numberedList) : present.exchange(copy, change.numberedList)
            guard let (old, write) = written else { continue }
            change.finish(owner, keyPath, present, write, old: old, new: copy, edit: present === target ? done : nil)
            return result
        }
    }

    /// Finds the observers, and calls those that want a call before the write; does nothing when called again.
    ///
    /// `isExact` is `true` if observers are notified only of the changed elements. Returns `true` if observers have been called.
    @_alwaysEmitIntoClient
    @discardableResult
    mutating func begin<Owner: KeyValueObservable>(
        _ owner: Owner, _ keyPath: () -> AnyKeyPath?, isExact: Bool, _ event: (borrowing Delivery) -> KeyValueEvent<Value>
    ) -> Bool {
        if isBegun { return false }
        isBegun = true
        findObservers(owner, keyPath)
        guard var delivery = delivery.take() else { return false }
        if isExact { delivery.settle() }
        if delivery.readsThroughGetter, delivery.wantsOldValues { getterOld = Self.getterValue(owner, keyPath) }
        let wantsPriorCalls = delivery.wantsPriorCalls
        if wantsPriorCalls {
            var event = event(delivery)
            if let getterOld, event.old != nil { event.old = getterOld }
            event.deliver(through: &delivery, onlyPrior: true)
        }
        self.delivery = consume delivery
        return wantsPriorCalls
    }

    @_alwaysEmitIntoClient var numberedList: Unretained<ObserverList>? { delivery == nil ? nil : list }

    @_alwaysEmitIntoClient
    mutating func findObservers<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: () -> AnyKeyPath?) {
        let known = PropertyAccess.namedList(of: owner, owner.keyValueRegistrar, property)
        guard let list = known ?? PropertyAccess.list(of: owner, property, isAtomic: true, events: Value.self, keyPath: keyPath) else {
            return
        }
        isSettled = true
        self.list = list
        delivery = PropertyAccess.delivery(to: list)
    }

    /// Notifies the observers after the write: of the elements that `edit` changed, if nobody needs the whole value.
    @_alwaysEmitIntoClient
    consuming func finish<Owner: KeyValueObservable>(
        _ owner: Owner, _ keyPath: () -> AnyKeyPath?, _ cell: AtomicCell<Value>, _ write: AtomicCellBase.Write, old: Value, new: Value,
        edit: CollectionEdit<Value>? = nil
    ) {
        let mayBeExact = isSettled
        if !isSettled { findObservers(owner, keyPath) }
        guard let list, var delivery = delivery.take() else { return }
        let number = cell.number(of: write, in: list)
        var event = KeyValueEvent(subject: owner, phase: .after, new: new, old: old)
        if delivery.readsThroughGetter, let value = Self.getterValue(owner, keyPath), !SameBytes.areSame(value, new) {
            // SAFETY: `owner`, the observed object, keeps its observer lists alive.
            unsafe list.with { $0.markUnlessNewest(number) }
            event = KeyValueEvent(subject: owner, phase: .after, new: value, old: getterOld)
        } else if let edit, mayBeExact, delivery.leaveOutLate() {
            event = KeyValueEvent(edit, .after, of: owner, wholeOld: old, wholeNew: new, delivery)
        }
        event.header.number = number
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
    }

    @_alwaysEmitIntoClient
    static func getterValue<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: () -> AnyKeyPath?) -> Value? {
        (keyPath() as? KeyPath<Owner, Value>).map { keyPath in Recording.suspended { owner[keyPath: keyPath] } }
    }

    private consuming func cancel() {
        delivery.take()?.finish()
    }
}
