/// Calls of typed handlers with the changes that other systems make, whose values have no type.
extension HandlerInfo {
    /// Makes an info whose handler is told new values, once they have the type that it asked for.
    convenience init(foreignValue parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(ForeignValue.self)
        self.init(parts, handler, invoke: Self.typing(Argument.self, Self.valueInvoke))
    }
}

extension SubjectHandlerInfo {
    /// Makes an info whose handler is told the object and the change, once its values have the type that it asked for.
    convenience init<Value>(foreignChange parts: InfoParts, _ handler: @escaping Function) where Argument == KeyValueChange<Value> {
        parts.expect(ForeignValue.self)
        self.init(parts, handler, invoke: Self.typing(Value.self, Self.changeInvoke(Value.self)))
    }
}

extension ObservationInfo {
    /// Gives the values of an event the type that an observer asked for, and calls the handler.
    fileprivate static func typing<Value>(_ type: Value.Type, _ invoke: @escaping Invoke) -> Invoke {
        { info, observer, event in
            guard let event else { return invoke(info, observer, nil) }
            return info.withTyped(event, type) { invoke(info, observer, $0) }
        }
    }

    /// Gives the values of an event a type.
    private final func withTyped<Value>(_ event: EventPointer, _ type: Value.Type, _ body: (EventPointer) -> Bool) -> Bool {
        // SAFETY: an info that is called in this way hangs in a list of such events.
        let event = unsafe event.assumingType(KeyValueEvent<ForeignValue>.self).pointee
        var typed = unsafe KeyValueEvent<Value>(
            subject: event.header.subject.object, kind: event.header.kind, phase: event.header.phase, new: typed(event.new),
            old: typed(event.old), elements: event.header.elements, wholeNew: typed(event.wholeNew), wholeOld: typed(event.wholeOld))
        typed.header.number = event.header.number
        return unsafe withUnsafePointer(to: &typed) { pointer in
            // SAFETY: the pointer is used during the call only.
            body(unsafe EventPointer(UnsafeRawPointer(pointer)))
        }
    }

    private final func typed<Value>(_ value: ForeignValue?) -> Value? {
        guard let value else { return nil }
        if let typed = value.typed(as: Value.self) { return typed }
        ObservationDiagnostics.warnOnce(
            .unexpectedType, at: position,
            unsafe "The value of \(list.object.name) is \(value.value.map { "\(Swift.type(of: $0))" } ?? "nil") and no \(Value.self), and is left out."
        )
        return nil
    }
}
