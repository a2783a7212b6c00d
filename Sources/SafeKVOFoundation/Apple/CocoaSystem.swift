#if canImport(ObjectiveC)
    public import Foundation
    import ObjectiveC
    public import SafeKVO

    final class CocoaSystem: KeyValueSystem {
        static let shared = CocoaSystem()

        private let receiver = CocoaReceiver()

        private init() {}

        /// The result has no name if Objective-C does not know all properties of the key path.
        static func path(_ keyPath: AnyKeyPath) -> ForeignKeyPath {
            keyPath._kvcKeyPathString.map { ForeignKeyPath($0) } ?? ForeignKeyPath(unnamed: keyPath)
        }

        // MARK: Registrations

        // SAFETY: (of the two functions below) the context is `nil`.

        func register(_ key: String, of object: AnyObject) {
            unsafe cocoa(object).addObserver(receiver, forKeyPath: key, options: .prior, context: nil)
        }

        /// Makes no weak reference to the object, which may be in its deallocation.
        func unregister(_ key: String, of object: AnyObject) {
            unsafe cocoa(object).removeObserver(receiver, forKeyPath: key, context: nil)
        }

        /// Casts without a check, because a checked cast would retain an object that may be in its deallocation.
        private func cocoa(_ object: AnyObject) -> NSObject {
            // SAFETY: The library passes an object to this function only after `canObserve(_:of:)` has returned `true`, so the object is an
            // `NSObject`.
            unsafe unsafeDowncast(object, to: NSObject.self)
        }

        // MARK: Values

        func canObserve(_ key: String, of object: AnyObject) -> Bool {
            guard let object = object as? NSObject else { return false }
            // Cocoa raises an exception if a collection of one of these classes is observed.
            if object is NSArray || object is NSOrderedSet || object is NSSet { return false }
            // A class that overrides one of these methods may support any key.
            if overrides(#selector(NSObject.value(forKey:)), object) || overrides(#selector(NSObject.value(forUndefinedKey:)), object) {
                return true
            }
            let names = KeyValueCodingNames(key)
            let type: AnyClass? = object_getClass(object)
            if names.collections.contains(where: { $0.allSatisfy { object.responds(to: NSSelectorFromString($0)) } }) { return true }
            return names.accessors.contains { isReadable(accessor: $0, of: type) }
                || Swift.type(of: object).accessInstanceVariablesDirectly && names.variables.contains { isReadable(variable: $0, of: type) }
        }

        // SAFETY: (of the two functions `isReadable` below) Objective-C uses the passed name only during the call. It owns the returned
        // type encoding, and never frees it.

        private func isReadable(accessor name: String, of type: AnyClass?) -> Bool {
            guard let method = unsafe class_getInstanceMethod(type, NSSelectorFromString(name)) else { return false }
            return unsafe KeyValueCodingNames.isReadable(typeEncoding: method_getTypeEncoding(method)?.pointee)
        }

        private func isReadable(variable name: String, of type: AnyClass?) -> Bool {
            guard let variable = unsafe name.withCString({ unsafe class_getInstanceVariable(type, $0) }) else { return false }
            return unsafe KeyValueCodingNames.isReadable(typeEncoding: ivar_getTypeEncoding(variable)?.pointee)
        }

        private func overrides(_ method: Selector, _ object: NSObject) -> Bool {
            unsafe class_getInstanceMethod(object_getClass(object), method) != class_getInstanceMethod(NSObject.self, method)
        }

        func value(of key: String, of object: AnyObject) -> Any? { cocoa(object).value(forKey: key) }

        func elements(of value: Any) -> [Any]? { (value as? NSOrderedSet)?.array ?? value as? [Any] }

        // MARK: Lives

        // SAFETY: The address is only a key for associated objects. No code reads memory through it.
        private var association: UnsafeRawPointer { unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

        func token(of object: AnyObject) -> AnyObject? {
            unsafe objc_getAssociatedObject(object, association) as AnyObject?
        }

        /// Makes the object retain a token, which Objective-C releases after `dealloc` and before it frees the object's memory.
        ///
        /// An atomic association would autorelease the token at each read. The token could then outlive the object.
        func tie(_ token: AnyObject, to object: AnyObject) {
            unsafe objc_setAssociatedObject(object, association, token, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        }
    }

    /// The only object that the library registers with Cocoa as an observer.
    final class CocoaReceiver: NSObject, Sendable {
        override func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
        ) {
            guard let keyPath, let object = object as? NSObject else { return }
            let change = ForeignChange(
                kind: Self.kind(change?[.kindKey]), indexes: (change?[.indexesKey] as? NSIndexSet).map(Self.indexes),
                isPrior: change?[.notificationIsPriorKey] as? Bool ?? false)
            ForeignSubject.report(change, of: keyPath, of: object, in: CocoaSystem.shared)
        }

        private static func kind(_ value: Any?) -> KeyValueChangeKind {
            switch (value as? UInt).flatMap({ NSKeyValueChange(rawValue: $0) }) {
            case .insertion: .insertion
            case .removal: .removal
            case .replacement: .replacement
            default: .setting
            }
        }

        private static func indexes(_ indexes: NSIndexSet) -> RangeSet<Int> {
            var ranges = RangeSet<Int>()
            // SAFETY: The pointer, which could stop the enumeration, is not used.
            unsafe indexes.enumerateRanges { range, _ in ranges.insert(contentsOf: range.location..<range.location + range.length) }
            return ranges
        }
    }

    extension NSObject: KeyPathObservable {
        /// Registers with Cocoa, or with the object's own registrar if the key path begins at a `KeyValueObservable` class.
        public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
            _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
            value handler: @escaping (_ observer: Observer, _ value: Value) -> Void
        ) -> ObservationResult {
            request.observe(self, keyPath, of: CocoaSystem.shared, CocoaSystem.path(keyPath), value: handler)
        }

        /// Registers with Cocoa, or with the object's own registrar if the key path begins at a `KeyValueObservable` class.
        public func _observe<Observer: AnyObject, Object: AnyObject, Value>(
            _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
            change handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
        ) -> ObservationResult {
            request.observe(self, keyPath, of: CocoaSystem.shared, CocoaSystem.path(keyPath), change: handler)
        }

        /// Removes the observation of a key path, whether Cocoa or the object's own registrar notifies of changes.
        public func _unobserve(_ keyPath: AnyKeyPath, _ removal: _ObservationRemoval) -> Int {
            removal.unobserve(self, of: CocoaSystem.shared, CocoaSystem.path(keyPath), keyPath: keyPath)
        }
    }
#endif
