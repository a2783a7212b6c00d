internal import CSafeKVO

/// A write to a property that threads share, and the announcements that go with it.
///
/// The write comes before the question who observes: an observer that registers meanwhile and reads the old value as its initial one is
/// then found and told the new one. Only those who want a call before the write are asked for before it.
@usableFromInline
struct AtomicChange<Value>: ~Copyable {
    private let property: UInt
    private var delivery: Delivery?
    private var list: Unretained<ObserverList>?
    /// Whether there were observers when it began, so that it is settled how the change is announced.
    private var isSettled = false
    private var isBegun = false
    /// What an overriding getter returned before the write, if observers are handed what that returns.
    private var getterOld: Value?

    private init(_ property: UInt) {
        self.property = property
    }

    /// Writes and tells the observers.
    @usableFromInline
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

    /// Tells of a write that was made while nobody observed the object.
    @usableFromInline
    static func tell<Owner: KeyValueObservable>(
        _ owner: Owner, _ property: UInt, _ cell: AtomicCell<Value>, _ write: AtomicVersions.Write, old: Value, new: Value,
        keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        AtomicChange(property).finish(owner, keyPath, cell, write, old: old, new: new)
    }

    /// Works out a new value on a copy and writes it unless another thread has written since; again and again until it has written.
    ///
    /// Those who want a call before the write get one, however often it takes. What this thread itself writes meanwhile is overwritten.
    ///
    /// - Parameters:
    ///   - owner: Whose property it is.
    ///   - property: Which of its properties.
    ///   - position: Where that was asked for, for a warning.
    ///   - keyPath: Forms the key path, or none if it cannot be told.
    ///   - cell: The cell that the property has at the moment.
    ///   - edit: Says what the step did to the elements; nil if that is not to be told, but the whole value.
    ///   - step: Changes the copy.
    /// - Returns: what the step returned, the last time.
    /// - Throws: what the step throws.
    static func update<Owner: KeyValueObservable, Result, Failure: Error>(
        _ owner: Owner, _ property: UInt, at position: SourcePosition, _ keyPath: () -> AnyKeyPath?, cell: () -> AtomicCell<Value>,
        edit: ((Result) -> any CollectionEdit<Value>)? = nil, _ step: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var change = AtomicChange(property)
        var isReported = false
        while true {
            let target = cell()
            let value = target.beginUpdate()
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
                warnOfOverwriting(owner, property, position)
            }
            if update.isOvertaken { continue }
            let done = isOverwriting ? nil : edit?(result)
            change.begin(owner, keyPath, isExact: edit != nil) { delivery in
                guard let done else { return KeyValueEvent(subject: owner, phase: .prior, new: copy, old: value) }
                return KeyValueEvent(before: done, of: owner, whole: value, delivery)
            }
            // Whoever exchanges the cell itself does so on this thread, or has no right to.
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

    private static func warnOfOverwriting(_ owner: AnyObject, _ property: UInt, _ position: SourcePosition) {
        let name = "\(type(of: owner)).\(PropertyName.name(of: type(of: owner), property) ?? "property")"
        ObservationDiagnostics.warn(
            .overwrittenChange, at: position,
            """
            `\(name)` was written on the same thread while \(position == .unknown ? "an edit of its elements" : "`update(_:)` at \(position)") \
            worked out its new value, which then overwrote that write. Inside the closure, change the closure's parameter, not the property.
            """)
    }

    /// Calls those who want a call before the write, the first time.
    ///
    /// - Parameters:
    ///   - owner: Whose property it is.
    ///   - keyPath: Forms the key path, or none if it cannot be told.
    ///   - isExact: Whether who registers from now on is to be told something else than the others.
    ///   - event: What they are told.
    private mutating func begin<Owner: KeyValueObservable>(
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

    /// The list that numbers the write: none if nobody is told of it.
    private var numberedList: Unretained<ObserverList>? { delivery == nil ? nil : list }

    private mutating func findObservers<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: () -> AnyKeyPath?) {
        guard let list = PropertyAccess.list(of: owner, property, events: Value.self, keyPath: keyPath) else { return }
        isSettled = true
        self.list = list
        delivery = PropertyAccess.delivery(to: list)
    }

    /// Tells the observers that a new value is there.
    private consuming func finish<Owner: KeyValueObservable>(
        _ owner: Owner, _ keyPath: () -> AnyKeyPath?, _ cell: AtomicCell<Value>, _ write: AtomicVersions.Write, old: Value, new: Value
    ) {
        if !isSettled { findObservers(owner, keyPath) }
        guard let list, var delivery = delivery.take() else { return }
        let number = cell.number(of: write, in: list)
        var event = KeyValueEvent(subject: owner, phase: .after, new: new, old: old)
        if delivery.readsThroughGetter, let value = Self.getterValue(owner, keyPath), !Bits.areSame(value, new) {
            event = KeyValueEvent(subject: owner, phase: .after, new: value, old: getterOld)
        }
        event.header.number = number
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
    }

    /// Returns what the getter of a property returns, which may be an override.
    private static func getterValue<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: () -> AnyKeyPath?) -> Value? {
        (keyPath() as? KeyPath<Owner, Value>).map { keyPath in Recording.suspended { owner[keyPath: keyPath] } }
    }

    /// Tells the observers what was done to the elements.
    ///
    /// Who registered on another thread since it began may have read either value, and is told the whole.
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
        // A batch finds them itself.
        for late in unsafe !safekvo_has_batch() ? list.object.infosOfOtherThreads(after: limit) : [] {
            var event = KeyValueEvent(subject: owner, phase: .after, new: new, old: old)
            event.header.number = number
            event.withPointer { pointer, box in ObservationBroker.shared.forwardAlone(pointer, to: late, box: box) }
        }
        delivery.finish()
    }

    private consuming func cancel<Owner: KeyValueObservable>(_ owner: Owner) {
        // Without a delivery the update is part of a manual notification, which goes on.
        guard let delivery = delivery.take() else { return }
        if let list { KeyValueEventHeader.tellDependents(.abandoned, of: owner, list) }
        delivery.finish()
    }
}
