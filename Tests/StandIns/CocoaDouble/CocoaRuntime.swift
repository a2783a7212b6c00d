import Foundation
internal import SafeKVO
public import SafeKVOFoundation

/// A double of Cocoa's observing, for the library to drive, and of the runtime below.
public final class CocoaRuntime: KeyValueSystem, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) what changes belongs to `lock`; the receiver has no state.

    private let lock = NSLock()
    private var recorded: [CocoaException] = []
    private var calls = (made: 0, ended: 0)
    private let receiver = CocoaReceiver()

    /// Whether a change announced inside another of the same key is part of it, as in GNUstep, or one of its own, as Apple's users report.
    let mergesNestedChanges: Bool
    /// Whether an object that dies while it is observed raises, as before macOS 10.13 and iOS 11, or is silent.
    let raisesInDealloc: Bool

    package init(mergesNestedChanges: Bool = true, raisesInDealloc: Bool = true) {
        self.mergesNestedChanges = mergesNestedChanges
        self.raisesInDealloc = raisesInDealloc
    }

    // MARK: Exceptions

    func raise(_ exception: CocoaException) {
        lock.withLock { recorded.append(exception) }
    }

    /// What was raised.
    package var exceptions: [CocoaException] { lock.withLock { recorded } }

    /// What was raised since this was asked last.
    package func takeExceptions() -> [CocoaException] {
        lock.withLock {
            defer { recorded = [] }
            return recorded
        }
    }

    /// How many registrations were made so far, and how many ended.
    package var registrations: (made: Int, ended: Int) { lock.withLock { calls } }

    func isBeingDestroyed(_ object: AnyObject) -> Bool { SafeKVO.isBeingDestroyed(object) }

    // MARK: KeyValueSystem

    package func register(_ key: String, of object: AnyObject) {
        lock.withLock { calls.made += 1 }
        (object as? CocoaObject)?.addObserver(receiver, forKeyPath: key, options: .prior, context: 0)
    }

    package func unregister(_ key: String, of object: AnyObject) {
        lock.withLock { calls.ended += 1 }
        (object as? CocoaObject)?.removeObserver(receiver, forKeyPath: key, context: 0)
    }

    package func canObserve(_ key: String, of object: AnyObject) -> Bool {
        guard let object = object as? CocoaObject, !(object is CocoaArray) else { return false }
        return object.isCompliant(for: key)
    }

    package func value(of key: String, of object: AnyObject) -> Any? { (object as? CocoaObject)?.value(forKey: key) }

    package func elements(of value: Any) -> [Any]? { value as? [Any] }

    package func token(of object: AnyObject) -> AnyObject? { (object as? CocoaObject)?.associatedObject }

    package func tie(_ token: AnyObject, to object: AnyObject) {
        if isBeingDestroyed(object) { raise(.weakReferenceInDealloc) }
        (object as? CocoaObject)?.setAssociation(token)
    }
}
