/// An event of the property whose value is the value of an observed key path, as `items` is in `\.shelf.items`.
///
/// A change of the property is then the same change of the key path's value: its kind, its indexes and its elements apply.
@safe
@usableFromInline
struct PassedEvent {
    // SAFETY: (of the pointer) the function that delivers the event makes this value and only passes it down the stack.
    @usableFromInline let event: EventPointer
    // SAFETY: (of the list) the list delivers the event, so the list is alive.
    let list: Unretained<ObserverList>
    init(_ event: EventPointer, of source: Unretained<ObserverList>) {
        self.event = event
        list = source
    }

    @inline(__always)
    private func withList<Result>(_ body: (ObserverList) -> Result) -> Result { unsafe list.with(body) }

    @inline(__always)
    private func withHeader<Result>(_ body: (EventView<KeyValueEventHeader>) -> Result) -> Result {
        // SAFETY: every event of a key begins with the header, whatever the type of its value.
        unsafe body(event.view(as: KeyValueEventHeader.self))
    }

    /// `true` unless another change of the property has overtaken this one, whose value then is not the present one.
    var isNewest: Bool { withList { $0.lastChange } == withHeader { $0.pointee.number } }

    /// `false` if the event is that of a key that is announced by hand, which does not report its value.
    @usableFromInline var isOfProperty: Bool { withList { $0.property != 0 } }

    var hasElements: Bool { withHeader { $0.pointee.elements != nil } }

    /// The property or key of the event.
    var read: Read { withList { Read(of: $0) } }

    /// The type of the property's values.
    @usableFromInline var events: ObjectIdentifier { withList { $0.events } }
}

extension KeyValueEvent {
    /// Makes the event of a key path from the event of the property whose value the key path has; nil if their types do not fit.
    @_alwaysEmitIntoClient
    init?(passing source: PassedEvent, of subject: AnyObject, _ phase: KeyValueEventHeader.Phase, whole: Value?) {
        if source.events == ObjectIdentifier(Value.self) {
            // SAFETY: the event reports a change of a property of the type `Value`.
            self.init(copying: unsafe source.event.view(as: KeyValueEvent<Value>.self).pointee, of: subject, phase) { $0 }
        } else {
            guard let event = (Value.self as? any OptionalValue.Type)?.event(passing: source, of: subject, phase) as? Self else {
                return nil
            }
            self = event
        }
        if let whole { wholeNew = whole }
    }

    @_alwaysEmitIntoClient
    init<Source>(
        copying source: KeyValueEvent<Source>, of subject: AnyObject, _ phase: KeyValueEventHeader.Phase, _ convert: (Source) -> Value
    ) {
        self.init(
            subject: subject, kind: source.header.kind, phase: phase, new: source.new.map(convert), old: source.old.map(convert),
            elements: source.header.elements, wholeNew: source.wholeNew.map(convert), wholeOld: source.wholeOld.map(convert))
    }
}

extension Optional: OptionalValue {
    @usableFromInline
    static func event(passing source: PassedEvent, of subject: AnyObject, _ phase: KeyValueEventHeader.Phase) -> Any? {
        guard source.events == ObjectIdentifier(Wrapped.self) else { return nil }
        // SAFETY: the event reports a change of a property of the type `Wrapped`.
        return KeyValueEvent<Wrapped?>(copying: unsafe source.event.view(as: KeyValueEvent<Wrapped>.self).pointee, of: subject, phase) {
            $0
        }
    }

    @usableFromInline
    static var wrappedType: ObjectIdentifier { ObjectIdentifier(Wrapped.self) }
}

extension Optional: ObjectHolder {
    package var object: AnyObject? { map { type(of: $0 as Any) is AnyClass ? $0 as AnyObject : nil } ?? nil }

    package static func holding(_ object: AnyObject?) -> Any {
        let value: Wrapped? = object.flatMap { $0 as? Wrapped }
        return value as Any
    }
}
