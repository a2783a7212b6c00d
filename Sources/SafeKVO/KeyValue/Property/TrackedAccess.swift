public import Observation
internal import Synchronization

/// An access to a property that is reported to Swift's Observation.
public enum _TrackedAccess {
    /// The property is about to be read.
    case read
    /// The property is about to be written.
    case willSet
    /// The property was written.
    case didSet
}

/// Default implementations for classes that do not conform to Swift's `Observable`.
///
/// The compiler inlines these implementations, so that they add nothing to the getters and setters of such a class.
extension KeyValueObservable {
    /// `true` if Swift's Observation tracks the class; here `false`, because the class is not `Observable`.
    @_alwaysEmitIntoClient
    public static var _isTracked: Bool { false }

    /// Does nothing, because Swift's Observation does not track a class that is not `Observable`.
    @_alwaysEmitIntoClient
    @inline(__always)
    public func _track<Owner: AnyObject, Value>(_ access: _TrackedAccess, _ keyPath: () -> KeyPath<Owner, Value>) {}
}

/// Default implementations for classes that conform to Swift's `Observable`.
///
/// The compiler chooses these implementations if the class that declares the conformance to ``KeyValueObservable`` is `Observable`. If only
/// a subclass is `Observable`, the compiler does not choose them.
extension KeyValueObservable where Self: Observable {
    /// `true` if Swift's Observation tracks the class; here `true`, because the class is `Observable`.
    @_alwaysEmitIntoClient
    public static var _isTracked: Bool { true }

    /// Reports the access to Swift's Observation.
    @_alwaysEmitIntoClient
    public func _track<Owner: AnyObject, Value>(_ access: _TrackedAccess, _ keyPath: () -> KeyPath<Owner, Value>) {
        // The parameter `Owner` exists because a protocol requirement cannot use `Self` as the root of a key path. Only code that calls this
        // function by hand can pass another class, of which Swift's Observation must not be told.
        guard Owner.self == Self.self, let registrar = PropertyAccess.swiftRegistrar(of: self, keyValueRegistrar, for: access) else {
            return
        }
        // SAFETY: the guard has checked that `Owner` is `Self`.
        let keyPath = unsafe unsafeDowncast(keyPath(), to: KeyPath<Self, Value>.self)
        switch access {
        case .read: registrar.access(self, keyPath: keyPath)
        case .willSet: registrar.willSet(self, keyPath: keyPath)
        case .didSet: registrar.didSet(self, keyPath: keyPath)
        }
    }
}

extension PropertyAccess {
    @usableFromInline
    @inline(never)
    static func swiftRegistrar(
        of owner: AnyObject, _ registrar: borrowing KeyValueRegistrar, for access: _TrackedAccess
    ) -> ObservationRegistrar? {
        if let known = registrar.withRecord(ownedBy: owner, { $0.seldomIfUsed?.swiftRegistrar.load() }) ?? nil { return known.registrar }
        guard access == .read, !isBeingDestroyed(owner) else { return nil }
        return registrar.record(of: owner).seldom.swiftRegistrar.storeIfNil(SwiftRegistrar()).registrar
    }

    /// Returns `true` if the object's class is `Observable` but inherits ``KeyValueObservable`` from a class that is not.
    static func isUntracked<Object: KeyValueObservable>(_ object: Object) -> Bool {
        !Object._isTracked && type(of: object) is any Observable.Type
    }

    /// Warns, once for each source position, of a class that ``isUntracked(_:)`` tells.
    static func warnOfUntracked(_ type: AnyClass, at position: SourcePosition) {
        ObservationDiagnostics.warnOnce(
            .untrackedClass, at: position,
            """
            `\(type)`, which is observed at \(position), conforms to `Observable`, but it inherits `KeyValueObservable` from a class that does \
            not. So Swift's Observation does not track its `@Observed` properties. Conform to `Observable` in the class that conforms to \
            `KeyValueObservable`, with a stored `keyValueRegistrar` instead of the superclass `KeyValueObject`.
            """)
    }
}
