/// A change of an observed key path, with values of type `Any`.
///
/// A handler for several key paths gets such changes, and so does a ``KeyValueObserver``. A change of this type is never `Sendable`, because
/// key paths need not be. ``typed(as:)`` takes a key path, and returns a change with its value type.
///
/// ```swift
/// if let change = change.typed(as: \WallClock.date) { show(change.newValue) }
/// ```
public struct AnyKeyValueChange {
    /// The kind of the change: a setting, an insertion, a removal or a replacement.
    public let kind: KeyValueChangeKind
    /// `true` if this call comes before the change; see ``KeyValueObservingOptions/prior``.
    public let isPrior: Bool
    /// `true` if this is the initial call, which delivers the value at registration.
    public let isInitial: Bool
    /// The value after the change, if the options include ``KeyValueObservingOptions/new``.
    ///
    /// If an optional property became nil, this value is present and holds an empty optional.
    public let newValue: Any?
    /// The value before the change, if the options include ``KeyValueObservingOptions/old``.
    public let oldValue: Any?
    /// The positions of the elements that were inserted, removed or replaced.
    ///
    /// The indexes are nil if the whole value was set, and for a `Set`, whose members have no positions.
    public let indexes: RangeSet<Int>?
    /// The key path that was passed to `observe`.
    public let keyPath: AnyKeyPath?
    /// The name of the observed property, as declared, for logs.
    ///
    /// The name is nil for a computed property, and for a key path through other objects.
    public var propertyName: String? { label?.propertyName }
    private let label: ChangeLabel?

    /// Makes a change with values of type `Any` from a change with a value type, for example to test a method that takes one.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - keyPath: The key path that the change is about.
    public init<Value>(_ change: KeyValueChange<Value>, keyPath: AnyKeyPath? = nil) {
        kind = change.kind
        isPrior = change.isPrior
        isInitial = change.isInitial
        newValue = change.newValue.map { $0 as Any }
        oldValue = change.oldValue.map { $0 as Any }
        indexes = change.indexes
        label = change.label
        self.keyPath = keyPath
    }

    fileprivate init<Event: AnyValueEvent>(_ event: EventPointer, _ type: Event.Type, for info: ObservationInfo) {
        // SAFETY: every event of a key path begins with the header, whatever the type of its value.
        let header = unsafe event.view(as: KeyValueEventHeader.self)
        kind = header.pointee.kind
        isPrior = header.pointee.phase == .prior
        isInitial = header.pointee.phase == .initial
        newValue = info.flags.contains(.newValue) && !isPrior ? type.new(in: event) : nil
        oldValue = info.flags.contains(.oldValue) && !isInitial ? type.old(in: event) : nil
        indexes = header.pointee.elements?.indexes
        label = ChangeLabel(of: info)
        keyPath = info.keyPath
    }

    /// Returns the change with its value type, if it is a change of the given key path.
    ///
    /// - Parameter keyPath: The key path that was passed to `observe`, beginning with the same class.
    /// - Returns: the typed change; nil if this is a change of another key path.
    public func typed<Root, Value>(as keyPath: KeyPath<Root, Value>) -> KeyValueChange<Value>? {
        guard self.keyPath == keyPath else { return nil }
        return KeyValueChange(
            kind: kind, newValue: newValue.flatMap { $0 as? Value }, oldValue: oldValue.flatMap { $0 as? Value }, indexes: indexes,
            isPrior: isPrior, isInitial: isInitial)
    }
}

/// A ``KeyValueEvent``, for code that knows the type of its values only while the program runs.
///
/// Such code looks up each generic type that it mentions, which takes 330 instructions. So it mentions only this protocol.
private protocol AnyValueEvent {
    static func new(in event: EventPointer) -> Any?
    static func old(in event: EventPointer) -> Any?
}

extension KeyValueEvent: AnyValueEvent {
    // SAFETY: (of the views) the callers pass events of this type.
    fileprivate static func new(in event: EventPointer) -> Any? {
        guard let value = unsafe event.view(as: Self.self).pointee.new else { return nil }
        return value
    }

    fileprivate static func old(in event: EventPointer) -> Any? {
        guard let value = unsafe event.view(as: Self.self).pointee.old else { return nil }
        return value
    }
}

extension SubjectHandlerInfo where Argument == AnyKeyValueChange {
    /// Makes a registration of a key path whose values have the type `Value`, without a filter of duplicates.
    convenience init<Value>(anyChange parts: InfoParts, of type: Value.Type, _ handler: @escaping Function) {
        parts.expect(type)
        self.init(parts, handler, invoke: Self.anyChangeInvoke(KeyValueEvent<Value>.self))
    }

    private static func anyChangeInvoke<Event: AnyValueEvent>(_ type: Event.Type) -> Invoke {
        { info, observer, event in
            // SAFETY: only registrations of type `Self` store this closure, and their events have the type `Event`, which begins with a header.
            unsafe Self.handle(info, observer, event, as: KeyValueEventHeader.self) { info, observer, header in
                if info.isPaused(for: header.pointee.phase, begunAt: header.pointee.cutoff) { return false }
                unsafe info.run(observer, header.pointee.subject) { AnyKeyValueChange(event, type, for: info) }
                return true
            }
        }
    }
}

extension AnyKeyValueChange: CustomStringConvertible {
    /// A text with the kind, the values, and the name of the property or the text of the key path.
    public var description: String {
        text(of: "AnyKeyValueChange")
    }

    @inline(never)
    func text(of type: String) -> String {
        var text = type + "("
        if let name = propertyName ?? keyPath?.text { text += name + ", " }
        text += String(describing: kind)
        if isInitial { text += ", initial" }
        if isPrior { text += ", prior" }
        func add(_ name: String, _ value: Any?) {
            if let value { text += name + String(describing: value) }
        }
        add(", old ", oldValue)
        add(", new ", newValue)
        add(", indexes ", indexes)
        return text + ")"
    }
}

/// An observer that receives all changes in one method, and distinguishes its observations by a context.
///
/// ```swift
/// final class ClockView: KeyValueObserver {
///     enum Context { case date, zone }
///
///     func observeChange(
///         _ change: AnyKeyValueChange, of object: AnyObject, context: Context
///     ) {
///         switch context {
///         case .date: showDate()
///         case .zone: showZone()
///         }
///     }
/// }
/// ```
///
/// A class on the main actor conforms with `@MainActor KeyValueObserver`.
public protocol KeyValueObserver: AnyObject {
    /// The type of the values that distinguish the observations of this observer.
    associatedtype Context

    /// Called for each change of a key path that is observed with a context.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - object: The observed object.
    ///   - context: The context that was passed to `observe`.
    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Context)
}
