/// The one word that an observable object needs.
///
/// Make it a stored constant of the object. It is destroyed with the object, which ends all observations of it.
public struct KeyValueRegistrar: ~Copyable, Sendable {
    @usableFromInline let observers: ObserverRegistrar

    /// Makes a registrar.
    ///
    /// Nothing is allocated.
    @inlinable
    public init() {
        observers = ObserverRegistrar()
    }

    /// The record of the object that the registrar belongs to, if it has one.
    @inline(__always)
    func record(ownedBy object: AnyObject) -> Unretained<ObservationRecord>? { observers.record(ownedBy: object, .keyValue) }

    /// Uses the record of the object that the registrar belongs to, without taking a reference; nil if it has none.
    @inline(__always)
    func withRecord<Result>(ownedBy object: AnyObject, _ body: (ObservationRecord) -> Result) -> Result? {
        // SAFETY: the registrar keeps the record.
        unsafe record(ownedBy: object)?.with(body)
    }

    /// The record of the object that the registrar belongs to, made if there is none.
    func record(of object: AnyObject) -> ObservationRecord { observers.record(of: object, .keyValue) }
}
