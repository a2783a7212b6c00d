package import SafeKVO

/// A key-value observing system that is not this library's own, with its own objects: Cocoa's.
///
/// What to register there, when to unregister and what to tell is decided here, once; a system only does as it is told. It is never asked to do
/// what such systems answer with an exception: a registration is ended once, with the number it was made with, while the object's memory is
/// still there, and never before it has been made; nothing is read that ``canObserve(_:of:)`` has not agreed to.
package protocol KeyValueSystem: StandInFinder {
    /// Registers for the changes of a key.
    ///
    /// Before each change and after it, the system calls ``ForeignRegistrations/report(_:_:)`` with the number, on the thread that makes the
    /// change. It asks for no values: they are read when somebody wants them.
    func register(_ number: UInt, for key: String, of object: AnyObject)

    /// Ends a registration.
    ///
    /// - Parameters:
    ///   - number: The number of the registration.
    ///   - key: Its key.
    ///   - object: Its object, which may be in its destruction: then it may be used, but not kept.
    func unregister(_ number: UInt, for key: String, of object: AnyObject)

    /// Whether a key of an object may be registered for and read.
    func canObserve(_ key: String, of object: AnyObject) -> Bool

    /// The value of a key, nil if there is none.
    func value(of key: String, of object: AnyObject) -> Any?

    /// The elements of an ordered collection.
    func elements(of value: Any) -> [Any]?

    /// The token that was tied to an object.
    func token(of object: AnyObject) -> AnyObject?

    /// Ties a token to the life of an object: it is released when the object is being destroyed, before its memory can be used again.
    ///
    /// Called for an object without a token that is not being destroyed, one call at a time.
    func tie(_ token: AnyObject, to object: AnyObject)
}

extension KeyValueSystem {
    package func standIn(for object: AnyObject) -> (any SubjectStandIn)? { ForeignSubject.existing(for: object, of: self) }
}
