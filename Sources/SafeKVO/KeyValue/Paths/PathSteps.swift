/// Closures for the operations on a ``TrackedPath`` that need the static types of its key path.
///
/// The closures are made where the types are known, so that the compiler can specialise them.
@usableFromInline
struct PathSteps {
    /// The name of the key path in another system; nil if the library's own is used.
    @usableFromInline let name: String?
    /// `true` if copies of a value cost nothing.
    @usableFromInline let isTrivial: Bool
    /// The types of properties whose value can be the key path's value: that of the value, and of what it wraps.
    @usableFromInline let types: (value: ObjectIdentifier, wrapped: ObjectIdentifier?)
    /// Does a step; returns the event for the observers if the step is ``Step/settle(_:old:)``.
    @usableFromInline let run: (TrackedPath, AnyObject, Step) -> EventBox?

    @usableFromInline
    enum Step {
        /// Evaluate the key path, but notify nobody.
        case evaluate(AccessRecorder)
        /// Evaluate the key path during a manual notification of it, whose old value stays.
        case follow(AccessRecorder)
        /// Evaluate the key path and notify its observers.
        ///
        /// The event is that of the property whose value was the key path's value, and may be so still.
        case notify(AccessRecorder, PassedEvent?)
        /// Evaluate the key path and notify its observers, after changes of atomic properties that were made elsewhere.
        case comeHome(AccessRecorder)
        /// Notify the observers of a change of the last property of a chain, without an evaluation.
        case pass(PassedEvent, keepsLast: Bool)
        /// Call the observers that want a call before a change.
        ///
        /// The event is nil if the key path's value is not the value of the changed property.
        case notifyBefore(PassedEvent?)
        /// Call the observers that want a call before a manual notification of the key path, and evaluate the key path if a value is needed.
        case willAnnounce(AccessRecorder?, AnnouncementPart)
        /// Evaluate the key path and notify its observers, after a manual notification of the key path.
        case didAnnounce(AccessRecorder, AnnouncementPart)
        /// Evaluate the key path, to find out if its value is that of another key, whose elements are announced.
        case compare(AccessRecorder, PassedEvent)
        /// Evaluate the key path at the end of a batch.
        ///
        /// If other threads have notified the observers meanwhile (`isOvertaken`), the old value is the last one.
        case settle(AccessRecorder, old: AnyObject?, isOvertaken: Bool)
    }

    @_alwaysEmitIntoClient
    init<Root: KeyValueObservable, Value>(_ keyPath: KeyPath<Root, Value>, name: String? = nil) {
        self.name = name
        isTrivial = _isPOD(Value.self)
        types = (
            ObjectIdentifier(Value.self), _isOptional(Value.self) ? (Value.self as? any OptionalValue.Type)?.wrappedType : nil
        )
        run = { TypedPath<Root, Value>.run($0, $1, $2) }
    }
}

@usableFromInline
enum TypedPath<Root: KeyValueObservable, Value> {
    // SAFETY: (of the downcasts below) callers pass the observed object of `path`, and choose `Root` and `Value` as the types of the path's
    // key path.

    @_alwaysEmitIntoClient
    @inline(__always)
    static func root(_ root: AnyObject) -> Root { unsafe unsafeDowncast(root, to: Root.self) }

    @_alwaysEmitIntoClient
    @inline(__always)
    static func keyPath(_ path: TrackedPath) -> KeyPath<Root, Value> {
        unsafe unsafeDowncast(path.keyPath, to: KeyPath<Root, Value>.self)
    }

    // MARK: Evaluation

    /// Evaluates the key path; returns the value, and the last one if it is kept.
    @_alwaysEmitIntoClient
    static func evaluate(_ path: TrackedPath, _ root: AnyObject, _ recorder: AccessRecorder) -> (new: Value, old: Value?) {
        finish(path, root, recorder, recorder.record { self.root(root)[keyPath: keyPath(path)] })
    }

    /// Ends an evaluation; makes another one if the getters have changed what they read.
    @_alwaysEmitIntoClient
    static func finish(
        _ path: TrackedPath, _ root: AnyObject, _ recorder: AccessRecorder, _ found: Value, keepsOld: Bool = false
    ) -> (new: Value, old: Value?) {
        let keepsLast = unsafe keepsOld || recorder.keepsLast
        recorder.noteResult(found)
        let value = path.finish(recorder, of: root) ? found : readAgain(path, root)
        return (value, keepsLast ? OldValue.value(in: path.keep(OldValue.last(value))) : nil)
    }

    @usableFromInline
    @inline(never)
    static func readAgain(_ path: TrackedPath, _ root: AnyObject) -> Value {
        let recorder = path.beginAgain()
        let value = recorder.record { self.root(root)[keyPath: keyPath(path)] }
        recorder.noteResult(value)
        _ = path.finish(recorder, of: root)
        return value
    }

    /// Returns the present value without recording which properties are read.
    @_alwaysEmitIntoClient
    static func look(_ root: AnyObject, _ keyPath: KeyPath<Root, Value>) -> Value {
        Recording.suspended { self.root(root)[keyPath: keyPath] }
    }

    // MARK: Changes

    @_alwaysEmitIntoClient
    static func run(_ path: TrackedPath, _ root: AnyObject, _ step: PathSteps.Step) -> EventBox? {
        switch step {
        case .evaluate(let recorder): _ = evaluate(path, root, recorder)
        case .follow(let recorder):
            recorder.keepNothing()
            _ = evaluate(path, root, recorder)
        case .notify(let recorder, let source): notify(path, root, recorder, source)
        case .comeHome(let recorder): notify(path, root, recorder, nil, fromElsewhere: true)
        case .pass(let source, let keepsLast): pass(path, root, source, keepsLast: keepsLast)
        case .notifyBefore(let source): notifyBefore(path, root, source)
        case .willAnnounce(let recorder, let part): willAnnounce(path, root, recorder, part)
        case .didAnnounce(let recorder, let part): didAnnounce(path, root, recorder, part)
        case .compare(let recorder, let source): compare(path, root, recorder, source)
        case .settle(let recorder, let old, let isOvertaken): return settle(path, root, recorder, old: old, isOvertaken: isOvertaken)
        }
        return nil
    }

    @_alwaysEmitIntoClient
    static func notify(
        _ path: TrackedPath, _ root: AnyObject, _ recorder: AccessRecorder, _ source: PassedEvent?, fromElsewhere: Bool = false
    ) {
        let cutoff = unsafe recorder.cutoff
        let (value, old) = evaluate(path, root, recorder)
        var change = KeyValueEvent<Value>(subject: root, phase: .after, new: value, old: old)
        if let source, var passed = KeyValueEvent<Value>(passing: source, of: root, .after, whole: value) {
            if passed.header.kind == .setting {
                // Of a value that is passed on no longer, the old one was the property's.
                if old == nil { change.old = passed.old }
            } else if source.isOfProperty ? path.passes(source) : isWhole(value, source, root, .after) {
                return deliver(&passed, path, cutoff)
            }
        }
        deliver(&change, path, cutoff, fromElsewhere: fromElsewhere)
    }

    @_alwaysEmitIntoClient
    static func pass(_ path: TrackedPath, _ root: AnyObject, _ source: PassedEvent, keepsLast: Bool) {
        let cutoff = path.currentSerial
        // SAFETY: the event reports a change of the key path's last property, whose type is `Value`.
        let event = unsafe source.event.view(as: KeyValueEvent<Value>.self)
        var change = KeyValueEvent<Value>(
            subject: root, kind: event.pointee.header.kind, phase: .after, new: event.pointee.new, old: event.pointee.old,
            elements: event.pointee.header.elements, wholeNew: event.pointee.wholeNew, wholeOld: event.pointee.wholeOld)
        if keepsLast {
            let old: Value? = OldValue.value(in: path.keep(change.whole.map { OldValue.last($0) }))
            if let old, change.header.kind == .setting { change.old = old }
        }
        deliver(&change, path, cutoff)
    }

    @_alwaysEmitIntoClient
    static func deliver(_ change: inout KeyValueEvent<Value>, _ path: TrackedPath, _ cutoff: UInt64, fromElsewhere: Bool = false) {
        guard var delivery = path.delivery(upTo: cutoff) else { return }
        change.header.number = delivery.numberChange()
        if fromElsewhere {
            change.deliver(through: &delivery) { $0.comesHome }
        } else {
            change.deliver(through: &delivery, onlyPrior: false)
        }
        delivery.finish()
    }

    @_alwaysEmitIntoClient
    static func notifyBefore(_ path: TrackedPath, _ root: AnyObject, _ passed: PassedEvent?) {
        var change =
            passed.flatMap { KeyValueEvent<Value>(passing: $0, of: root, .prior, whole: nil) }
            ?? KeyValueEvent(subject: root, phase: .prior, new: nil, old: nil)
        if change.header.kind == .setting, let last: Value = OldValue.value(in: path.last) { change.old = last }
        guard var delivery = path.delivery(upTo: path.currentSerial) else { return }
        change.deliver(through: &delivery, onlyPrior: true)
        delivery.finish()
    }

    // MARK: Manual notifications

    /// Finds out if the key path's value is the value of a key that is announced by hand, whose event this is.
    @_alwaysEmitIntoClient
    @inline(never)
    static func compare(_ path: TrackedPath, _ root: AnyObject, _ recorder: AccessRecorder, _ source: PassedEvent) {
        recorder.keepNothing()
        if isWhole(evaluate(path, root, recorder).new, source, root, .prior) { path.noteSource(source) }
    }

    @_alwaysEmitIntoClient
    @inline(never)
    static func isWhole(_ value: Value, _ source: PassedEvent, _ root: AnyObject, _ phase: KeyValueEventHeader.Phase) -> Bool {
        let event = KeyValueEvent<Value>(passing: source, of: root, phase, whole: nil)
        guard let whole = phase == .prior ? event?.wholeOld : event?.wholeNew else { return false }
        let word = SameBytes.word(of: value)
        return word != 0 && word == SameBytes.word(of: whole)
    }

    /// Returns what is known from before the change; nil if the path is spelled for another type of values.
    @_alwaysEmitIntoClient
    static func announcement(_ part: AnnouncementPart) -> ManualAnnouncement<Value>? {
        // SAFETY: the part is one of a key with values of the type `Value`.
        part.values == ObjectIdentifier(Value.self) ? unsafe unsafeDowncast(part, to: ManualAnnouncement<Value>.self) : nil
    }

    @_alwaysEmitIntoClient
    @inline(never)
    static func willAnnounce(_ path: TrackedPath, _ root: AnyObject, _ recorder: AccessRecorder?, _ part: AnnouncementPart) {
        guard var delivery = path.delivery(upTo: part.cutoff) else { return }
        let announcement = announcement(part)
        if let recorder {
            let last = path.last
            let whole = evaluate(path, root, recorder).new
            // The value at the beginning is the old one, unless another thread is changing it, too.
            if let last, path.isDisputed { path.keep(last) }
            announcement?.plan(whole, delivery)
            path.passTurn(root)
        }
        if delivery.wantsPriorCalls {
            let old: Value? = OldValue.value(in: path.last)
            var event = announcement?.prior(of: root, old: old, delivery) ?? KeyValueEvent(subject: root, phase: .prior, new: nil, old: old)
            event.deliver(through: &delivery, onlyPrior: true)
        }
        delivery.finish()
    }

    @_alwaysEmitIntoClient
    @inline(never)
    static func didAnnounce(_ path: TrackedPath, _ root: AnyObject, _ recorder: AccessRecorder, _ part: AnnouncementPart) {
        let (whole, old) = evaluate(path, root, recorder)
        guard var delivery = path.delivery(upTo: part.cutoff, hearsLate: true) else { return }
        var event =
            announcement(part)?.after(whole, old: old, of: root, delivery)
            ?? KeyValueEvent(subject: root, phase: .after, new: whole, old: old)
        event.header.number = delivery.numberChange()
        event.deliver(through: &delivery, onlyPrior: false)
        delivery.finish()
    }

    @_alwaysEmitIntoClient
    static func settle(
        _ path: TrackedPath, _ root: AnyObject, _ recorder: AccessRecorder, old: AnyObject?, isOvertaken: Bool
    ) -> EventBox {
        let (new, last) = evaluate(path, root, recorder)
        var change = KeyValueEvent<Value>(subject: root, phase: .after, new: new, old: isOvertaken ? last : OldValue.value(in: old))
        change.header.number = path.numberChange()
        return TypedEventBox(change)
    }
}

extension TrackedPath {
    /// The serial number of the newest observer.
    @usableFromInline
    var currentSerial: UInt64 { withList { $0.withRecord { $0.currentSerial } } }

    @usableFromInline
    func numberChange() -> UInt64 { withList { $0.numberChange() } }

    /// Begins to notify the observers with serial numbers up to `cutoff`; returns nil if the observed object is being deallocated.
    @usableFromInline
    func delivery(upTo cutoff: UInt64, hearsLate: Bool = false) -> Delivery? {
        Delivery(to: listReference, cutoff: cutoff, hearsLate: hearsLate)
    }

    /// Returns `true` if the key path's value is the value of the property whose event this is, and the event is that of its newest change.
    @usableFromInline
    func passes(_ source: PassedEvent) -> Bool { source.isNewest && withState { $0.passes(source.read) } }

    /// Notes that the key path's value is the value of a key that is announced by hand, whose event this is.
    @usableFromInline
    func noteSource(_ source: PassedEvent) { withState { $0.passed = source.read } }

    /// `true` if another thread is announcing the key path, or has changed it and not notified the observers yet.
    @usableFromInline
    var isDisputed: Bool { withList { list in list.withRecord { $0.isChangingElsewhere(list) } } || withState { $0.turn.isMarked } }

    // MARK: The last value

    /// `true` if the value of each change is kept, because an observer asks for old values.
    func keepsLast(_ state: borrowing PathState) -> Bool { state.last != nil || withList { $0.wantsOldValues } }

    /// The value after the last change, in an ``OldValue``.
    @usableFromInline
    var last: LastValue? { withState { $0.last } }

    /// Replaces the last value, and returns the one before.
    @usableFromInline
    @discardableResult
    func keep(_ value: LastValue?) -> LastValue? {
        withState { state in
            let former = state.last
            state.last = value
            return former
        }
    }
}
