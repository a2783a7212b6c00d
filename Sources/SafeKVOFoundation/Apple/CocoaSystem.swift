#if canImport(ObjectiveC)

    import Foundation
    import ObjectiveC
    import SafeKVO

    /// Cocoa's key-value observing, as the library drives it.
    final class CocoaSystem: KeyValueSystem {
        static let shared = CocoaSystem()

        private let receiver = CocoaReceiver()

        private init() {}

        /// The key path by its name; Objective-C has one if each property on the way is known to it.
        static func path(_ keyPath: AnyKeyPath) -> ForeignKeyPath {
            keyPath._kvcKeyPathString.map { ForeignKeyPath($0) } ?? ForeignKeyPath(unnamed: keyPath)
        }

        // MARK: Registrations

        func register(_ number: UInt, for key: String, of object: AnyObject) {
            // SAFETY: the context is a number, which nobody follows; zero is none.
            unsafe cocoa(object).addObserver(
                receiver, forKeyPath: key, options: .prior, context: UnsafeMutableRawPointer(bitPattern: number))
        }

        func unregister(_ number: UInt, for key: String, of object: AnyObject) {
            // SAFETY: as above. Neither this nor Cocoa forms a weak reference to the object.
            unsafe cocoa(object).removeObserver(receiver, forKeyPath: key, context: UnsafeMutableRawPointer(bitPattern: number))
        }

        /// The object as what `canObserve(_:of:)` has seen that it is: a cast would take references to one that is being destroyed.
        private func cocoa(_ object: AnyObject) -> NSObject {
            // SAFETY: only objects that `canObserve(_:of:)` has agreed to come here.
            unsafe unsafeDowncast(object, to: NSObject.self)
        }

        // MARK: Values

        func canObserve(_ key: String, of object: AnyObject) -> Bool {
            guard let object = object as? NSObject else { return false }
            // They raise when they are observed themselves.
            if object is NSArray || object is NSOrderedSet || object is NSSet { return false }
            // A class that answers for any key by itself knows what it does.
            if overrides(#selector(NSObject.value(forKey:)), object) || overrides(#selector(NSObject.value(forUndefinedKey:)), object) {
                return true
            }
            let names = KeyValueCodingNames(key)
            let type: AnyClass? = object_getClass(object)
            if names.collections.contains(where: { $0.allSatisfy { object.responds(to: NSSelectorFromString($0)) } }) { return true }
            return names.accessors.contains { isReadable(accessor: $0, of: type) }
                || Swift.type(of: object).accessInstanceVariablesDirectly && names.variables.contains { isReadable(variable: $0, of: type) }
        }

        // SAFETY: (of both) the names are used during the calls only, and the encodings are the runtime's own.

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

        // SAFETY: an address to tell associated objects apart by, which is not followed.
        private var association: UnsafeRawPointer { unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

        func token(of object: AnyObject) -> AnyObject? {
            unsafe objc_getAssociatedObject(object, association) as AnyObject?
        }

        /// An associated object is released when its object is being destroyed, after its `dealloc` and before its memory is given back.
        ///
        /// Not atomic: of an atomic association, asking for the token gives one that is autoreleased. It would outlive the object, and then
        /// unregister from freed memory. Whoever asks holds the object, whose token is never another.
        func tie(_ token: AnyObject, to object: AnyObject) {
            unsafe objc_setAssociatedObject(object, association, token, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        }
    }

#endif
