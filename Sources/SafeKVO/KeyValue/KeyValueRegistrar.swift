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
}
