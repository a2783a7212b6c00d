public import CSafeKVO

/// What a tracked path does that depends on its types: formed where they are known, so that the compiler can do its best.
///
/// Each is handed the path and its subject.
@usableFromInline
struct PathSteps {
    /// What changes, and the list through which the path hears of the end of that.
    @usableFromInline typealias Source = (dependency: UInt, list: UInt)

    /// Counts an interest in, and evaluates if that must be.
    let activate: (TrackedPath, AnyObject) -> Void
    /// Evaluates.
    let evaluate: (TrackedPath, AnyObject) -> Void
    /// Evaluates, and tells that the value was set.
    let tell: (TrackedPath, AnyObject, DependencyRecorder, OpenChange?) -> Void
    /// Tells a change of the last property of a chain, which is what changed, under a number.
    let tellLeaf: (TrackedPath, AnyObject, EventPointer, OpenChange?, UInt64) -> Void
    /// Tells a change to come, and notes that it is under way; with the event of the last property of a chain, if that is what changes.
    let tellPrior: (TrackedPath, AnyObject, EventPointer?, Source, OpenChange.Meaning, UInt32) -> Void
    /// Leaves a change to the batch.
    let postpone: (TrackedPath, AnyObject, OpenChange?) -> Void

    @usableFromInline
    init(
        activate: @escaping (TrackedPath, AnyObject) -> Void,
        evaluate: @escaping (TrackedPath, AnyObject) -> Void,
        tell: @escaping (TrackedPath, AnyObject, DependencyRecorder, OpenChange?) -> Void,
        tellLeaf: @escaping (TrackedPath, AnyObject, EventPointer, OpenChange?, UInt64) -> Void,
        tellPrior: @escaping (TrackedPath, AnyObject, EventPointer?, Source, OpenChange.Meaning, UInt32) -> Void,
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
            activate: { Typed.activate($0, $1) }, evaluate: { Typed.evaluate($0, $1) }, tell: { Typed.tell($0, $1, $2, $3) },
            tellLeaf: { Typed.tellLeaf($0, $1, $2, $3, $4) }, tellPrior: { Typed.tellPrior($0, $1, $2, $3, $4, $5) },
            postpone: { Typed.postpone($0, $1, $2) })
    }
}

/// The steps of tracked paths of one type; see ``PathSteps``.
@usableFromInline
enum TypedPathSteps<Root: KeyValueObservable, Value> {
    // SAFETY: (of the downcasts) these are the steps of paths made for a key path of these types, and the roots are their subjects.

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

    /// Evaluates for the first time.
    ///
    /// - Returns: the value and the ticket of the evaluation; nil if it had to be done again, so that none can be told from a later one.
    static func firstEvaluation(_ path: TrackedPath, _ root: AnyObject) -> (value: Value, ticket: UInt64)? {
        let recorder = path.begin()
        let ticket = recorder.start.ticket
        let value = recorder.record { self.root(root)[keyPath: keyPath(path)] }
        if path.finish(recorder, of: root) { return (value, ticket) }
        _ = evaluateThoroughly(path, root)
        return nil
    }

    /// Evaluates, and follows what is read.
    @inlinable
    static func evaluate(_ path: TrackedPath, _ root: AnyObject, _ recorder: DependencyRecorder) -> Value {
        let value = recorder.record { self.root(root)[keyPath: keyPath(path)] }
        return path.finish(recorder, of: root) ? value : evaluateThoroughly(path, root)
    }

    @usableFromInline
    @inline(never)
    static func evaluateThoroughly(_ path: TrackedPath, _ root: AnyObject) -> Value {
        evaluate(path, root, path.beginThoroughly())
    }

    /// Reads the value, and follows nothing.
    @inlinable
    static func look(_ path: TrackedPath, _ root: AnyObject) -> Value {
        path.beginLooking()
        defer { path.endLooking() }
        return Recording.suspended { self.root(root)[keyPath: keyPath(path)] }
    }

    // MARK: Changes

    @inlinable
    static func tell(_ path: TrackedPath, _ root: AnyObject, _ recorder: DependencyRecorder, _ open: OpenChange?) {
        // Numbered first: of two threads, the one with the greater number has read what the other one wrote.
        let number = path.numberChange()
        let value = evaluate(path, root, recorder)
        var change = KeyValueEvent<Value>(subject: root, phase: .after, new: value, old: open?.oldValue(Value.self))
        change.header.number = number
        tell(&change, path, open)
    }

    @inlinable
    static func tellLeaf(_ path: TrackedPath, _ root: AnyObject, _ event: EventPointer, _ open: OpenChange?, _ number: UInt64) {
        // SAFETY: the last hop of a chain has the type of the key path.
        let source = unsafe event.assumingType(KeyValueEvent<Value>.self)
        var change = unsafe KeyValueEvent<Value>(
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
    static func tellPrior(
        _ path: TrackedPath, _ root: AnyObject, _ event: EventPointer?, _ source: PathSteps.Source, _ meaning: OpenChange.Meaning,
        _ limit: UInt32
    ) {
        var change = KeyValueEvent<Value>(subject: root, phase: .prior, new: nil, old: nil)
        if let event {
            // SAFETY: as above.
            let source = unsafe event.assumingType(KeyValueEvent<Value>.self)
            change = unsafe KeyValueEvent(
                subject: root, kind: source.pointee.header.kind, phase: .prior, new: source.pointee.new, old: source.pointee.old,
                elements: source.pointee.header.elements, wholeOld: source.pointee.wholeOld)
        }
        if change.old == nil, change.header.kind == .setting, path.wantsOldValues, needsOldValue(path, limit) {
            change.old = look(path, root)
        }
        let isToldBefore = path.wantsPriorCalls(of: source.dependency)
        path.open(source, meaning, limit, old: change.old.map { OldValue($0) })
        guard isToldBefore, var delivery = path.deliveryBefore(upTo: limit) else { return }
        change.deliver(through: &delivery, onlyPrior: true)
        delivery.finish()
    }

    // MARK: Batches

    /// Whether an old value would be told: not if a batch knows an older one.
    @usableFromInline
    @inline(never)
    static func needsOldValue(_ path: TrackedPath, _ limit: UInt32) -> Bool {
        ChangeBatch.current?.entry(of: path.listReference)?.needsOldValue(limit) ?? true
    }

    @usableFromInline
    static func postpone(_ path: TrackedPath, _ root: AnyObject, _ open: OpenChange?) {
        postpone(KeyValueEvent<Value>(subject: root, phase: .after, new: nil, old: open?.oldValue(Value.self)), path, root, open)
    }

    @usableFromInline
    @inline(never)
    static func postponeLeaf(_ change: KeyValueEvent<Value>, _ path: TrackedPath, _ root: AnyObject, _ open: OpenChange?) {
        var change = change
        // The value is found out at the end: to keep it would make the next change in place copy it.
        change.wholeNew = nil
        if change.header.kind == .setting { change.new = nil }
        postpone(change, path, root, open)
    }

    private static func postpone(_ change: KeyValueEvent<Value>, _ path: TrackedPath, _ root: AnyObject, _ open: OpenChange?) {
        guard let entry = ChangeBatch.current?.entry(of: path.listReference, of: root, Value.self) else { return }
        let limit = open?.limit ?? path.currentLimit
        entry.late += path.list.lateInfos(after: limit)
        entry.add(change, limit) { evaluate(path, root, path.begin()) }
    }
}
