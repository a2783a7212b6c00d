package import SafeKVO

/// A value as another system gives it, before it has the type that an observer asked for.
package struct ForeignValue {
    /// The value; nil if there is none.
    let value: Any?

    /// The value as a type: as it is, out of its raw value, or as the nil of an optional; nil if it is none of these.
    func typed<Value>(as type: Value.Type) -> Value? {
        let optional = Value.self as? any ForeignOptional.Type
        guard let value else { return optional.flatMap { $0.absent as? Value } }
        if let value = value as? Value { return value }
        if let optional { return optional.wrapped(self).flatMap { $0 as? Value } }
        guard let type = Value.self as? any RawRepresentable.Type else { return nil }
        return Self.make(type, of: value) as? Value
    }

    /// `true` if both can be compared, and are equal.
    func isKnownToEqual(_ other: ForeignValue) -> Bool {
        func isEqual<Value: Equatable>(_ value: Value) -> Bool { value == other.value as? Value }
        guard let value else { return other.value == nil }
        return (value as? any Equatable).map { isEqual($0) } ?? false
    }

    private static func make<Value: RawRepresentable>(_ type: Value.Type, of value: Any) -> Any? {
        (value as? Value.RawValue).flatMap { Value(rawValue: $0) }
    }
}

/// An optional type, as which a value of another system is wanted.
protocol ForeignOptional {
    /// Its nil.
    static var absent: Any { get }

    /// A value, wrapped; nil if it is not of the type.
    static func wrapped(_ value: ForeignValue) -> Any?
}

extension Optional: ForeignOptional {
    static var absent: Any { Self.none as Any }

    static func wrapped(_ value: ForeignValue) -> Any? {
        value.typed(as: Wrapped.self).map { Self.some($0) as Any }
    }
}

/// What another system tells of a change: all but the values.
package struct ForeignChange: Sendable {
    /// Whether the change is yet to come.
    let isPrior: Bool
    let kind: KeyValueChangeKind
    /// Which elements of an ordered collection.
    let indexes: RangeSet<Int>?

    /// What is told of a change, as it will be or as it was made.
    package init(kind: KeyValueChangeKind, indexes: RangeSet<Int>?, isPrior: Bool) {
        self.kind = kind
        self.indexes = indexes
        self.isPrior = isPrior
    }
}

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
        typed.header.limit = event.header.limit
        var isMade = false
        typed.withPointer { pointer, _ in isMade = body(pointer) }
        return isMade
    }

    private final func typed<Value>(_ value: ForeignValue?) -> Value? {
        guard let value else { return nil }
        if let typed = value.typed(as: Value.self) { return typed }
        ObservationDiagnostics.warnOnce(.unexpectedType, at: position, unsafe whyMissing(value, Value.self, list.object.qualifiedName))
        return nil
    }

    private final func whyMissing(_ value: ForeignValue, _ expected: Any.Type, _ name: String) -> String {
        let found = value.value.map { "\(Swift.type(of: $0))" }
        return """
            The value of `\(name)` is \(found.map { "of type `\($0)`" } ?? "nil"), but the observation at \(position) expects `\(expected)`, so the \
            observer did not get the value. Observe it as `\(found ?? "\(expected)?")`.
            """
    }
}
