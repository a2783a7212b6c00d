internal import Foundation
internal import SafeKVO

/// A value from another key-value observing system, such as Cocoa's, before its conversion to the observer's type.
///
/// It consists of one reference, by which a nested key path recognizes that its value is the value of its last key.
package struct ForeignValue {
    private final class Storage {
        let value: Any?

        init(_ value: Any?) { self.value = value }
    }

    private let storage: Storage
    /// `true` if there is no value, because a key cannot be read.
    var isAbsent: Bool { storage.value is Absent }

    var value: Any? { isAbsent ? nil : storage.value }

    private struct Absent {}

    static var absent: ForeignValue { ForeignValue(value: Absent()) }

    init(value: Any?) { storage = Storage(value) }

    /// Converts the value to a type; `nil` if that is impossible.
    ///
    /// A `RawRepresentable` type is made from its raw value. If the value is missing, the result for an optional type is `.some(nil)`.
    func typed<Value>(as type: Value.Type) -> Value? {
        let optional = Value.self as? any ForeignOptional.Type
        guard let value else { return optional.flatMap { $0.absent as? Value } }
        if let value = value as? Value { return value }
        if let optional { return optional.wrapped(self).flatMap { $0 as? Value } }
        guard let type = Value.self as? any RawRepresentable.Type else { return nil }
        return Self.make(type, of: value) as? Value
    }

    private static func make<Value: RawRepresentable>(_ type: Value.Type, of value: Any) -> Any? {
        (value as? Value.RawValue).flatMap { Value(rawValue: $0) }
    }
}

extension ForeignValue: ObjectHolder {
    /// The object, unless it can be copied: that is a value, such as a number or a text.
    package var object: AnyObject? { value.flatMap { type(of: $0) is AnyClass && !($0 is any NSCopying) ? $0 as AnyObject : nil } }

    package static func holding(_ object: AnyObject?) -> Any { ForeignValue(value: object) }
}

/// Lets generic code find out that a type is an optional, and make values of it, although the code does not know the wrapped type.
///
/// Only `Optional` conforms.
protocol ForeignOptional {
    static var absent: Any { get }

    static func wrapped(_ value: ForeignValue) -> Any?
}

extension Optional: ForeignOptional {
    static var absent: Any { Self.none as Any }

    static func wrapped(_ value: ForeignValue) -> Any? {
        value.typed(as: Wrapped.self).map { Self.some($0) as Any }
    }
}

extension HandlerInfo {
    convenience init(foreignValue parts: InfoParts, _ handler: @escaping Function) {
        parts.expect(ForeignValue.self)
        self.init(parts, handler, invoke: Self.typing(Argument.self, Self.valueInvoke))
    }
}

extension SubjectHandlerInfo {
    convenience init<Value>(foreignChange parts: InfoParts, _ handler: @escaping Function) where Argument == KeyValueChange<Value> {
        parts.expect(ForeignValue.self)
        self.init(parts, handler, invoke: Self.typing(Value.self, Self.changeInvoke(Value.self)))
    }
}

extension ObservationInfo {
    fileprivate static func typing<Value>(_ type: Value.Type, _ invoke: @escaping Invoke) -> Invoke {
        { info, observer, event in info.withTyped(event, type) { invoke(info, observer, $0) } }
    }

    private final func withTyped<Value>(_ event: EventPointer, _ type: Value.Type, _ body: (EventPointer) -> Bool) -> Bool {
        // SAFETY: only handlers from `init(foreignValue:_:)` and `init(foreignChange:_:)` use this function, and both make sure that the
        // events have this type.
        let event = unsafe event.view(as: KeyValueEvent<ForeignValue>.self).pointee
        // The events are those of the stand-in, which the sender keeps alive. The object itself may be gone.
        guard let subject = unsafe unsafeDowncast(event.header.subject.object, to: ForeignSubject.self).object else { return false }
        var typed = KeyValueEvent<Value>(
            subject: subject, kind: event.header.kind, phase: event.header.phase, new: typed(event.new),
            old: typed(event.old), elements: event.header.elements, wholeNew: typed(event.wholeNew), wholeOld: typed(event.wholeOld))
        typed.header.number = event.header.number
        typed.header.cutoff = event.header.cutoff
        var isMade = false
        typed.withPointer { pointer, _ in isMade = body(pointer) }
        return isMade
    }

    private final func typed<Value>(_ value: ForeignValue?) -> Value? {
        guard let value, !value.isAbsent else { return nil }
        if let typed = value.typed(as: Value.self) { return typed }
        ObservationDiagnostics.warnOnce(.unexpectedType, at: position, whyMissing(value, Value.self, withList { $0.qualifiedName }))
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
