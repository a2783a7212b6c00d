/// What Cocoa raises, or does worse, where it is misused.
///
/// Swift cannot catch it, so a double of Cocoa records it and goes on.
public enum CocoaException: Hashable, Sendable {
    /// NSRangeException "Cannot remove an observer … because it is not registered as an observer".
    case notRegistered(keyPath: String)
    /// The same, while the registration is not yet complete: inside its own initial call.
    case notYetRegistered(keyPath: String)
    /// NSUnknownKeyException "this class is not key value coding-compliant for the key".
    case unknownKey(String)
    /// NSInternalInconsistencyException "An -observeValueForKeyPath:ofObject:change:context: message was received but not handled".
    case notHandled(keyPath: String)
    /// A message to the address of an observer that was deallocated and not removed: crashes, or reaches another object.
    case observerIsGone(keyPath: String)
    /// NSInternalInconsistencyException "was deallocated while key value observers were still registered with it".
    case deallocatedWhileObserved(keyPaths: [String])
    /// NSRangeException, of announced positions that are not there.
    case outOfRange(key: String)
    /// NSInvalidArgumentException "not supported", of a collection that is observed itself.
    case notSupported(keyPath: String)
    /// Two threads at the registrations of one object: crashes, or registrations get lost.
    case usedByTwoThreads(keyPath: String)
    /// "Cannot form weak reference to instance … in the process of deallocation": the program is aborted.
    case weakReferenceInDealloc
    /// A getter was called in an object's dealloc, when what it reads may be gone.
    case readInDealloc(key: String)
}
