package import SafeKVO

/// A key-value observing system outside this library, such as Cocoa's.
///
/// The library decides when to register and which notifications to deliver. A conforming type only makes the calls. Cocoa raises exceptions
/// for wrong calls, so the library keeps these rules:
///
/// - It ends each registration once.
/// - It ends a registration only after it was made, and while the object's memory still exists.
/// - It reads a value only after ``canObserve(_:of:)`` has returned `true`.
package protocol KeyValueSystem: StandInFinder {
    /// Registers for the changes of a key, under the given number.
    ///
    /// Before each change and after it, the system must call ``ForeignRegistrations/report(_:_:)`` with that number, on the changing
    /// thread. The system must not read the values. The library reads them if an observer needs them.
    func register(_ number: UInt, for key: String, of object: AnyObject)

    /// Ends a registration. The object may be in its deallocation, so the function must not retain it.
    func unregister(_ number: UInt, for key: String, of object: AnyObject)

    func canObserve(_ key: String, of object: AnyObject) -> Bool

    func value(of key: String, of object: AnyObject) -> Any?

    /// Returns the elements of an ordered collection; `nil` if the value is not such a collection.
    func elements(of value: Any) -> [Any]?

    func token(of object: AnyObject) -> AnyObject?

    /// Makes an object retain a token until the object is deallocated.
    ///
    /// The object must release the token before its memory can be reused. The library calls this function on one thread at a time, for an
    /// object that has no token and is not being deallocated.
    func tie(_ token: AnyObject, to object: AnyObject)
}

extension KeyValueSystem {
    package func standIn(for object: AnyObject) -> (any SubjectStandIn)? { ForeignSubject.existing(for: object, of: self) }
}
