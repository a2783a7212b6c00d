public import CSafeKVO

/// Closures for the operations on a ``TrackedPath`` that need the static types of its key path.
///
/// The closures are made where the types are known, so that the compiler can specialise them.
@usableFromInline
struct PathSteps {
    let activate: (TrackedPath, AnyObject) -> Void
    let evaluate: (TrackedPath, AnyObject) -> Void
    /// Evaluates the key path and notifies its observers.
    ///
    /// The last argument is the event of the changed property if the key path's value was the value of that property before.
    let tell: (TrackedPath, AnyObject, DependencyRecorder, OpenChange?, PassedEvent?) -> Void
    /// Delivers a change of the key path's last property without an evaluation.
    ///
    /// The last argument is the serial number of the change.
    let tellLeaf: (TrackedPath, AnyObject, EventPointer, OpenChange?, UInt64) -> Void
    /// Calls the observers that want a call before a change, and stores that the change has begun.
    ///
    /// The last two arguments are the changed property and the serial number of the newest observer to notify. The event is nil if the key
    /// path's value is not the value of the changed property.
    let tellPrior: (TrackedPath, AnyObject, PassedEvent?, UInt, UInt64) -> Void
    /// Adds a change to the thread's current batch, whose end notifies the observers.
    let postpone: (TrackedPath, AnyObject, OpenChange?) -> Void

    @usableFromInline
    init(
        activate: @escaping (TrackedPath, AnyObject) -> Void,
        evaluate: @escaping (TrackedPath, AnyObject) -> Void,
        tell: @escaping (TrackedPath, AnyObject, DependencyRecorder, OpenChange?, PassedEvent?) -> Void,
        tellLeaf: @escaping (TrackedPath, AnyObject, EventPointer, OpenChange?, UInt64) -> Void,
        tellPrior: @escaping (TrackedPath, AnyObject, PassedEvent?, UInt, UInt64) -> Void,
        postpone: @escaping (TrackedPath, AnyObject, OpenChange?) -> Void
    ) {
        self.activate = activate
        self.evaluate = evaluate
        self.tell = tell
        self.tellLeaf = tellLeaf
        self.tellPrior = tellPrior
        self.postpone = postpone
    }

    @inlinable
    init<Root: KeyValueObservable, Value>(_ keyPath: KeyPath<Root, Value>) {
        typealias Typed = TypedPathSteps<Root, Value>
        self.init(
            activate: { Typed.activate($0, $1) }, evaluate: { Typed.evaluate($0, $1) }, tell: { Typed.tell($0, $1, $2, $3, $4) },
            tellLeaf: { Typed.tellLeaf($0, $1, $2, $3, $4) }, tellPrior: { Typed.tellPrior($0, $1, $2, $3, $4) },
            postpone: { Typed.postpone($0, $1, $2) })
    }
}

@usableFromInline
enum TypedPathSteps<Root: KeyValueObservable, Value> {
    // SAFETY: (of the downcasts below) callers pass the observed object of `path`, and choose `Root` and `Value` as the types of the path's
    // key path.

    @inlinable
    @inline(__always)
    static func root(_ root: AnyObject) -> Root { unsafe unsafeDowncast(root, to: Root.self) }

    @inlinable
    @inline(__always)
    static func keyPath(_ path: TrackedPath) -> KeyPath<Root, Value> {
        unsafe unsafeDowncast(path.keyPath, to: KeyPath<Root, Value>.self)
    }

    // MARK: Evaluation

    @usableFromInline
    static func activate(_ path: TrackedPath, _ root: AnyObject) {
        if path.activate(self.root(root)) { evaluate(path, root) }
    }

    @usableFromInline
    static func evaluate(_ path: TrackedPath, _ root: AnyObject) {
        _ = evaluate(path, root, path.begin())
    }

    /// Evaluates the key path, and returns the value with the serial number of the evaluation.
    ///
    /// If a change may have been missed, the value may be outdated, and so may the dependencies. Then the function evaluates the key path
    /// again to find the dependencies, and returns nil. The caller must then read the value itself.
    static func firstEvaluation(_ path: TrackedPath, _ root: AnyObject) -> (value: Value, ticket: UInt64)? {
        let recorder = path.begin()
        let ticket = recorder.start.ticket
        let value = recorder.record { self.root(root)[keyPath: keyPath(path)] }
        recorder.noteResult(value)
        if path.finish(recorder, of: root) { return (value, ticket) }
        _ = evaluateThoroughly(path, root)
        return nil
    }

    @inlinable
    static func evaluate(_ path: TrackedPath, _ root: AnyObject, _ recorder: DependencyRecorder) -> Value {
        let value = recorder.record { self.root(root)[keyPath: keyPath(path)] }
        recorder.noteResult(value)
        return path.finish(recorder, of: root) ? value : evaluateThoroughly(path, root)
    }

    @usableFromInline
    @inline(never)
    static func evaluateThoroughly(_ path: TrackedPath, _ root: AnyObject) -> Value {
        evaluate(path, root, path.beginThoroughly())
    }

    /// Returns the present value of the key path without recording which properties are read.
    @inlinable
    static func look(_ path: TrackedPath, _ root: AnyObject) -> Value {
        path.beginLooking()
        defer { path.endLooking() }
        return Recording.suspended { self.root(root)[keyPath: keyPath(path)] }
    }

    // MARK: Changes

    @inlinable
    static func tell(
        _ path: TrackedPath, _ root: AnyObject, _ recorder: DependencyRecorder, _ open: OpenChange?, _ source: PassedEvent?
    ) {
        // Number the change before the value is read. Of two threads, the one with the greater number then reads the newest value.
        let number = path.numberChange()
        let value = evaluate(path, root, recorder)
        path.noteRead(after: number)
        if let source, path.passes(source), pass(source, path, root, open, value, number) { return }
        var change = KeyValueEvent<Value>(subject: root, phase: .after, new: value, old: open?.oldValue(Value.self))
        change.header.number = number
        tell(&change, path, open)
    }

    /// Notifies the observers of the change that the event reports; returns `false` if the event's type does not fit.
    @inlinable
    @inline(never)
    static func pass(
        _ source: PassedEvent, _ path: TrackedPath, _ root: AnyObject, _ open: OpenChange?, _ value: Value, _ number: UInt64
    ) -> Bool {
        guard var change = KeyValueEvent(passing: source, of: root, .after, whole: value) else { return false }
        // The elements may have been announced before the change, and the whole value set.
        if change.header.kind == .setting, change.old == nil { change.old = open?.oldValue(Value.self) }
        change.header.number = number
        tell(&change, path, open)
        return true
    }

    @inlinable
    static func tellLeaf(_ path: TrackedPath, _ root: AnyObject, _ event: EventPointer, _ open: OpenChange?, _ number: UInt64) {
        // SAFETY: the event reports a change of the key path's last property, whose type is `Value`.
        let source = unsafe event.view(as: KeyValueEvent<Value>.self)
        var change = KeyValueEvent<Value>(
            subject: root, kind: source.pointee.header.kind, phase: .after, new: source.pointee.new, old: source.pointee.old,
            elements: source.pointee.header.elements, wholeNew: source.pointee.wholeNew, wholeOld: source.pointee.wholeOld)
        if change.old == nil, change.header.kind == .setting { change.old = open?.oldValue(Value.self) }
        change.header.number = number
        if safekvo_has_batch() { return postponeLeaf(change, path, root, open) }
        tell(&change, path, open)
    }

    @inlinable
    static func tell(_ change: inout KeyValueEvent<Value>, _ path: TrackedPath, _ open: OpenChange?) {
        guard var delivery = path.delivery(upTo: open?.limit) else { return }
        change.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
    }

    @inlinable
    static func tellPrior(_ path: TrackedPath, _ root: AnyObject, _ passed: PassedEvent?, _ source: UInt, _ limit: UInt64) {
        var change =
            passed.flatMap { KeyValueEvent<Value>(passing: $0, of: root, .prior, whole: nil) }
            ?? KeyValueEvent(subject: root, phase: .prior, new: nil, old: nil)
        if change.old == nil, change.header.kind == .setting, path.wantsOldValues, needsOldValue(path, limit) {
            change.old = look(path, root)
        }
        let isToldBefore = path.wantsPriorCalls(of: source)
        let old = change.header.kind == .setting ? change.old : change.wholeOld ?? emptyValue(path, root, passed)
        path.open(source, limit, old: old.map { OldValue($0) })
        guard isToldBefore, var delivery = path.deliveryBefore(upTo: limit) else { return }
        change.deliver(through: &delivery, onlyPrior: true)
        delivery.finish()
    }

    /// Returns the value of the key path if it is an empty collection and an observer wants old values; otherwise nil.
    ///
    /// All empty arrays have one word, so an array that a getter makes of an empty one seems to be passed on. Its first change then turns out
    /// to be a setting, and needs the old value. To keep an empty collection costs nothing, because a change of it copies no elements.
    @inlinable
    @inline(never)
    static func emptyValue(_ path: TrackedPath, _ root: AnyObject, _ passed: PassedEvent?) -> Value? {
        guard let passed, !passed.isOfLeaf, path.wantsOldValues else { return nil }
        let value = look(path, root)
        return Bits.isOfEmptyCollection(Bits.word(of: value)) ? value : nil
    }

    // MARK: Batches

    /// Returns `true` if the value before this change must be read, for observers with serial numbers up to `limit`.
    ///
    /// The result is `false` if this thread's batch already has an old value from an earlier change for these observers.
    @usableFromInline
    @inline(never)
    static func needsOldValue(_ path: TrackedPath, _ limit: UInt64) -> Bool {
        ChangeBatch.current?.entry(of: path.list)?.needsOldValue(limit) ?? true
    }

    @inlinable
    static func postpone(_ path: TrackedPath, _ root: AnyObject, _ open: OpenChange?) {
        path.postpone(root, open, old: open?.old) {
            KeyValueEventBox(KeyValueEvent<Value>(subject: root, phase: .after, new: evaluate(path, root, path.begin()), old: nil))
        }
    }

    @usableFromInline
    @inline(never)
    static func postponeLeaf(_ change: KeyValueEvent<Value>, _ path: TrackedPath, _ root: AnyObject, _ open: OpenChange?) {
        let isSetting = change.header.kind == .setting
        let old = (isSetting ? change.old : change.wholeOld).map { OldValue($0) }
        // Do not keep the whole new value, because the next mutation in place would have to copy that value. The batch reads the value at
        // its end. So do not keep a change that sets the whole value (`isSetting`). Keep a change of elements, but without the whole value.
        var kept: KeyValueEvent<Value>? = isSetting ? nil : change
        kept?.wholeNew = nil
        path.postpone(root, open, old: old) { [kept] in
            let value = evaluate(path, root, path.begin())
            guard var event = kept else { return KeyValueEventBox(KeyValueEvent(subject: root, phase: .after, new: value, old: nil)) }
            event.wholeNew = value
            return KeyValueEventBox(event)
        }
    }
}

extension TrackedPath {
    /// Adds a change to this thread's batch; at the end of the batch, `evaluate` makes the event.
    @usableFromInline
    func postpone(_ root: AnyObject, _ open: OpenChange?, old: AnyObject?, evaluate: @escaping () -> any BatchedEvent) {
        guard let entry = ChangeBatch.current?.entry(of: list, of: root) else { return }
        let limit = open?.limit ?? currentLimit
        entry.late += list.lateInfos(after: limit)
        entry.noteSource(isAtomic: DeliveryFrame.isOfAtomicDependency)
        entry.add(limit, old: { old }, evaluate: evaluate)
    }
}
