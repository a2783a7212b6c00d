/// Closures for the operations on a ``TrackedPath`` that need the static types of its key path.
///
/// The closures are made where the types are known, so that the compiler can specialise them.
@usableFromInline
struct PathSteps {
    /// The name of the key path in another system; nil if the library's own is used.
    let name: String?
    /// `true` if copies of a value cost nothing.
    let isTrivial: Bool
    /// The types of properties whose value can be the key path's value: that of the value, and of what it wraps.
    let types: (value: ObjectIdentifier, wrapped: ObjectIdentifier?)
    /// Evaluates the key path, but notifies nobody.
    let evaluate: (TrackedPath, AnyObject, PathRecorder) -> Void
    /// Evaluates the key path and notifies its observers.
    let notify: (TrackedPath, AnyObject, PathRecorder, Cause) -> Void
    /// Notifies the observers of a change of the last property of a chain, without an evaluation.
    let pass: (TrackedPath, AnyObject, PassedEvent, _ keepsLast: Bool) -> Void
    /// Calls the observers that want a call before a change.
    ///
    /// The event is nil if the key path's value is not the value of the changed property.
    let notifyBefore: (TrackedPath, AnyObject, PassedEvent?) -> Void
    /// Evaluates the key path at the end of a batch, and returns the event for its observers.
    let settle: (TrackedPath, AnyObject, PathRecorder, _ old: AnyObject?) -> EventBox

    /// What has made an evaluation necessary.
    @usableFromInline
    enum Cause {
        /// The event of the property whose value was the key path's value, and may be so still.
        case passing(PassedEvent)
        case change
        /// Changes of atomic properties that were made elsewhere.
        case changesElsewhere
    }

    @usableFromInline
    init(
        name: String?, isTrivial: Bool, types: (value: ObjectIdentifier, wrapped: ObjectIdentifier?),
        evaluate: @escaping (TrackedPath, AnyObject, PathRecorder) -> Void,
        notify: @escaping (TrackedPath, AnyObject, PathRecorder, Cause) -> Void,
        pass: @escaping (TrackedPath, AnyObject, PassedEvent, _ keepsLast: Bool) -> Void,
        notifyBefore: @escaping (TrackedPath, AnyObject, PassedEvent?) -> Void,
        settle: @escaping (TrackedPath, AnyObject, PathRecorder, _ old: AnyObject?) -> EventBox
    ) {
        self.name = name
        self.isTrivial = isTrivial
        self.types = types
        self.evaluate = evaluate
        self.notify = notify
        self.pass = pass
        self.notifyBefore = notifyBefore
        self.settle = settle
    }

    @inlinable
    init<Root: KeyValueObservable, Value>(_ keyPath: KeyPath<Root, Value>, name: String? = nil) {
        typealias Typed = TypedPath<Root, Value>
        self.init(
            name: name, isTrivial: _isPOD(Value.self),
            types: (
                ObjectIdentifier(Value.self), _isOptional(Value.self) ? (Value.self as? any OptionalValue.Type)?.wrappedType : nil
            ),
            evaluate: { _ = Typed.evaluate($0, $1, $2) }, notify: { Typed.notify($0, $1, $2, $3) },
            pass: { Typed.pass($0, $1, $2, keepsLast: $3) }, notifyBefore: { Typed.notifyBefore($0, $1, $2) },
            settle: { Typed.settle($0, $1, $2, old: $3) })
    }
}

@usableFromInline
enum TypedPath<Root: KeyValueObservable, Value> {
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

    @inlinable
    static func evaluate(_ path: TrackedPath, _ root: AnyObject, _ recorder: PathRecorder) -> Value {
        let keepsLast = unsafe recorder.keepsLast
        let value = read(path, root, recorder)
        if keepsLast { path.keep(OldValue.last(value)) }
        return value
    }

    /// Evaluates the key path, once more if its getters have changed what they read.
    @inlinable
    static func read(_ path: TrackedPath, _ root: AnyObject, _ recorder: PathRecorder) -> Value {
        let value = recorder.record { self.root(root)[keyPath: keyPath(path)] }
        recorder.noteResult(value)
        return path.finish(recorder, of: root) ? value : readAgain(path, root)
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
    @inlinable
    static func look(_ root: AnyObject, _ keyPath: KeyPath<Root, Value>) -> Value {
        Recording.suspended { self.root(root)[keyPath: keyPath] }
    }

    /// Returns the present value, and follows what is read if that is possible now.
    static func present(_ path: TrackedPath, _ root: AnyObject) -> Value {
        guard let recorder = path.takeTurn() else { return look(root, keyPath(path)) }
        let value = evaluate(path, root, recorder)
        path.passTurn(root)
        return value
    }

    // MARK: Changes

    @inlinable
    static func notify(_ path: TrackedPath, _ root: AnyObject, _ recorder: PathRecorder, _ cause: PathSteps.Cause) {
        let (limit, keepsLast) = unsafe (recorder.limit, recorder.keepsLast)
        let value = read(path, root, recorder)
        let old: Value? = keepsLast ? OldValue.value(in: path.keep(OldValue.last(value))) : nil
        var change = KeyValueEvent<Value>(subject: root, phase: .after, new: value, old: old)
        switch cause {
        case .change: break
        case .changesElsewhere: return deliver(&change, path, limit, fromElsewhere: true)
        case .passing(let source):
            guard var passed = KeyValueEvent<Value>(passing: source, of: root, .after, whole: value) else { break }
            // The elements may have been announced before the change, and the whole value set.
            if passed.header.kind == .setting, passed.old == nil { passed.old = old }
            if path.passes(source) { return deliver(&passed, path, limit) }
            // Of a value that is no longer passed on, the old one was the property's.
            if passed.header.kind == .setting { change.old = passed.old }
        }
        deliver(&change, path, limit)
    }

    @inlinable
    static func pass(_ path: TrackedPath, _ root: AnyObject, _ source: PassedEvent, keepsLast: Bool) {
        let limit = path.currentSerial
        // SAFETY: the event reports a change of the key path's last property, whose type is `Value`.
        let event = unsafe source.event.view(as: KeyValueEvent<Value>.self)
        var change = KeyValueEvent<Value>(
            subject: root, kind: event.pointee.header.kind, phase: .after, new: event.pointee.new, old: event.pointee.old,
            elements: event.pointee.header.elements, wholeNew: event.pointee.wholeNew, wholeOld: event.pointee.wholeOld)
        if keepsLast {
            let old: Value? = OldValue.value(in: path.keep(change.whole.map { OldValue.last($0) }))
            if change.old == nil, change.header.kind == .setting { change.old = old }
        }
        deliver(&change, path, limit)
    }

    @inlinable
    static func deliver(_ change: inout KeyValueEvent<Value>, _ path: TrackedPath, _ limit: UInt64, fromElsewhere: Bool = false) {
        guard var delivery = path.delivery(upTo: limit) else { return }
        change.header.number = delivery.numberChange()
        if fromElsewhere {
            change.deliver(through: &delivery) { $0.comesHome }
        } else {
            change.deliver(through: &delivery, onlyPrior: false)
        }
        delivery.finish()
    }

    @inlinable
    static func notifyBefore(_ path: TrackedPath, _ root: AnyObject, _ passed: PassedEvent?) {
        var change =
            passed.flatMap { KeyValueEvent<Value>(passing: $0, of: root, .prior, whole: nil) }
            ?? KeyValueEvent(subject: root, phase: .prior, new: nil, old: nil)
        if change.old == nil, change.header.kind == .setting { change.old = OldValue.value(in: path.last) }
        guard var delivery = path.delivery(upTo: path.currentSerial) else { return }
        change.deliver(through: &delivery, onlyPrior: true)
        delivery.finish()
    }

    @inlinable
    static func settle(_ path: TrackedPath, _ root: AnyObject, _ recorder: PathRecorder, old: AnyObject?) -> EventBox {
        var change = KeyValueEvent<Value>(
            subject: root, phase: .after, new: evaluate(path, root, recorder), old: OldValue.value(in: old))
        change.header.number = path.numberChange()
        return KeyValueEventBox(change)
    }
}

extension TrackedPath {
    /// The serial number of the newest observer.
    @usableFromInline
    var currentSerial: UInt64 { withList { $0.withRecord { $0.currentSerial } } }

    @usableFromInline
    func numberChange() -> UInt64 { withList { $0.numberChange() } }

    /// Begins to notify the observers with serial numbers up to `limit`; returns nil if the observed object is being deallocated.
    @usableFromInline
    func delivery(upTo limit: UInt64) -> Delivery? { Delivery(to: listReference, limit: limit, hearsLate: false) }

    /// Returns `true` if the key path's value is the value of the property whose event this is.
    @usableFromInline
    func passes(_ source: PassedEvent) -> Bool { withState { $0.passes(source.list) } }

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
