/// A property that a key path names in every object of one class.
///
/// The first registration of a key path evaluates it, to find out what it names. If that is a property which the object's class declares
/// itself, it is the same property in every object of exactly that class. So later registrations need not evaluate the key path.
struct KnownProperty {
    let key: PropertyKey
    /// `true` if the class has chosen that only manual notifications notify the observers.
    let isAnnouncedByHandOnly: Bool
    /// The key path, which is kept so that no other one gets its address.
    let keyPath: AnyKeyPath

    /// Makes the property's list in another object.
    func makeList(in object: AnyObject, _ registrar: borrowing KeyValueRegistrar) -> ObserverList {
        let list = registrar.observers.list(of: key, in: object)
        if !list.hasSpelling {
            if isAnnouncedByHandOnly { list.announceByHandOnly() }
            list.spelling.store(keyPath)
        }
        return list
    }
}

/// The known properties of all classes.
final class KnownProperties: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards the dictionary. A key path that names a stored property has no subscript arguments, so
    // any thread may use it.

    private struct Key: Hashable {
        let type: ObjectIdentifier
        /// The address of the key path: equal ones are known apart, because to compare them is slow.
        let keyPath: ObjectIdentifier
    }

    static let shared = KnownProperties()

    /// The most key paths that are kept, because a program can make any number of equal ones.
    private static let limit = 4096

    private let lock = Lock()
    private var properties: [Key: KnownProperty] = [:]

    func property(of type: AnyClass, _ keyPath: AnyKeyPath) -> KnownProperty? {
        lock.withLock { properties[Key(type: ObjectIdentifier(type), keyPath: ObjectIdentifier(keyPath))] }
    }

    /// Notes which property a key path names, from the list that was found for an object of the class itself.
    func note(_ list: ObserverList, of type: AnyClass, _ keyPath: AnyKeyPath) {
        let key = PropertyKey(number: list.property, isAtomic: list.isAtomic, values: Swift.type(of: keyPath).valueType)
        let property = KnownProperty(key: key, isAnnouncedByHandOnly: list.isAnnouncedByHandOnly, keyPath: keyPath)
        lock.withLock {
            if properties.count < Self.limit {
                properties[Key(type: ObjectIdentifier(type), keyPath: ObjectIdentifier(keyPath))] = property
            }
        }
    }
}
