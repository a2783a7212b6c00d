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
