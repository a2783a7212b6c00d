import Foundation
package import SafeKVO

/// An `NSObject` with observable keys, whose observing raises and delivers as Cocoa's does: `CocoaDoubleTests` has the table.
open class CocoaObject: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `values` and `association` belong to `lock`, `observing` guards itself.

    package let runtime: CocoaRuntime
    private let lock = NSLock()
    private var values: [String: Any?]
    /// The object that is associated with this one.
    private var association: AnyObject?
    let observing: CocoaObservingInfo

    package init(_ runtime: CocoaRuntime, _ values: [String: Any?]) {
        self.runtime = runtime
        self.values = values
        observing = CocoaObservingInfo()
    }

    deinit {
        // What `objc_destructInstance` does; observing looks whether anybody is left when `dealloc` is over.
        releaseAssociation()
        observing.objectWasDeallocated(runtime)
    }

    /// When this returns, what was associated has gone.
    @inline(never)
    private func releaseAssociation() {
        setAssociation(nil)
    }

    // MARK: Key-value coding

    /// The keys that it is compliant for, besides those it stores.
    open var computedKeys: Set<String> { [] }

    /// The keys, and key paths through another object, on which a value depends: `keyPathsForValuesAffectingValueForKey:`.
    open func keysAffectingValue(forKey key: String) -> Set<String> { [] }

    /// The value of a computed key.
    open func computedValue(forKey key: String) -> Any? { nil }

    /// Called while somebody registers, as the methods are that a class overrides to say what its keys depend on.
    open func willRegister(forKey key: String) {}

    package func isCompliant(for key: String) -> Bool {
        computedKeys.contains(key) || lock.withLock { values.keys.contains(key) }
    }

    /// `valueForKey:`.
    package func value(forKey key: String) -> Any? {
        if runtime.isBeingDestroyed(self) { runtime.raise(.readInDealloc(key: key)) }
        if computedKeys.contains(key) { return computedValue(forKey: key) }
        let value = lock.withLock { values[key] }
        if value == nil { runtime.raise(.unknownKey(key)) }
        return value.flatMap { $0 }
    }

    /// `valueForKeyPath:`.
    package func value(forKeyPath keyPath: String) -> Any? {
        let (key, rest) = Self.split(keyPath)
        let value = value(forKey: key)
        guard let rest else { return value }
        return (value as? CocoaObject)?.value(forKeyPath: rest)
    }

    /// `setValue:forKey:`, which announces the change.
    package func set(_ value: Any?, forKey key: String) {
        willChangeValue(forKey: key)
        store(value, forKey: key)
        didChangeValue(forKey: key)
    }

    /// Sets a value and announces nothing.
    package func store(_ value: Any?, forKey key: String) {
        var other: Any? = value
        lock.withLock {
            let old = values[key].flatMap { $0 }
            values[key] = .some(other)
            other = old
        }
    }

    static func split(_ keyPath: String) -> (key: String, rest: String?) {
        guard let dot = keyPath.firstIndex(of: ".") else { return (keyPath, nil) }
        return (String(keyPath[..<dot]), String(keyPath[keyPath.index(after: dot)...]))
    }

    // MARK: Key-value observing

    package func willChangeValue(forKey key: String) { willChange(.setting, valuesAt: nil, forKey: key) }

    package func didChangeValue(forKey key: String) { didChange(.setting, valuesAt: nil, forKey: key) }

    package func willChange(_ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>?, forKey key: String) {
        for key in observing.keys(affectedBy: key, self) { observing.willChange(kind, indexes, key, self) }
    }

    package func didChange(_ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>?, forKey key: String) {
        observing.didChange(kind, indexes, observing.keys(affectedBy: key, self), self)
    }

    /// `addObserver:forKeyPath:options:context:`.
    open func addObserver(_ observer: CocoaObserver, forKeyPath keyPath: String, options: CocoaOptions, context: UInt) {
        observing.add(observer, keyPath, options, context, to: self)
    }

    /// `removeObserver:forKeyPath:context:`.
    open func removeObserver(_ observer: CocoaObserver, forKeyPath keyPath: String, context: UInt) {
        observing.remove(observer, keyPath, context, from: self)
    }

    /// How many registrations there are.
    package var registrationCount: Int { observing.count }

    // MARK: The class

    /// `object_setClass`: what other observers do to have an object call their methods.
    ///
    /// The subclass must store nothing of its own.
    package func setClass(_ type: CocoaObject.Type) {
        // SAFETY: the first word of an object is its class, and objects of both classes have the same memory.
        unsafe Unmanaged.passUnretained(self).toOpaque().storeBytes(of: unsafeBitCast(type as AnyClass, to: UInt.self), as: UInt.self)
    }

    // MARK: Associated objects

    var associatedObject: AnyObject? { lock.withLock { association } }

    /// Associates an object.
    ///
    /// - Returns: the one that was associated before.
    @discardableResult
    func setAssociation(_ object: AnyObject?) -> AnyObject? {
        var other = object
        lock.withLock { swap(&association, &other) }
        return other
    }
}
