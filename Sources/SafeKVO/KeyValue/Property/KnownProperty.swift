/// A property that a key path names in every object of one class.
///
/// The first registration of a key path evaluates it, to find out what it names. If that is a property which the object's class declares
/// itself, it is the same property in every object of exactly that class. So later registrations need not evaluate the key path.
///
/// Key paths with subscript arguments are not kept, nor those of generic classes, which cannot be told from them.
final class KnownProperty {
    private let type: AnyClass
    private let key: PropertyKey
    /// `true` if the class has chosen that only manual notifications notify the observers.
    private let isAnnouncedByHandOnly: Bool
    /// The key path, which is kept so that no other one gets its address.
    private let keyPath: AnyKeyPath

    /// Remembers the list that was found for a key path, in an object of the class that declares the property.
    init(_ list: ObserverList, of type: AnyClass, _ keyPath: AnyKeyPath) {
        self.type = type
        self.keyPath = keyPath
        key = PropertyKey(number: list.property, isAtomic: list.isAtomic, values: Swift.type(of: keyPath).valueType)
        isAnnouncedByHandOnly = list.isAnnouncedByHandOnly
    }

    /// Returns the property's list in another object, made if missing; `nil` if the object is not exactly of the class.
    func list(in object: AnyObject, _ registrar: borrowing KeyValueRegistrar) -> ObserverList? {
        guard Swift.type(of: object) == type else { return nil }
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
    // SAFETY: (of @unchecked Sendable) `lock` guards the variables. The key paths have no subscript arguments, so any thread may use them.
    // Properties are released without the lock.

    static let shared = KnownProperties()

    /// The number of key paths at which all are forgotten, because a program can make any number of equal ones.
    private static let limit = 1024

    private let lock = Lock()
    private var properties: [KnownProperty] = []
    /// The place in `properties` by the address of the key path; to compare key paths is slow, so equal ones have places of their own.
    private var places: [ObjectIdentifier: Int] = [:]

    /// Returns the property that a key path names in the objects of one class.
    func property(_ keyPath: AnyKeyPath) -> KnownProperty? {
        lock.withLock { places[ObjectIdentifier(keyPath)].map { properties[$0] } }
    }

    /// Adds what a key path names, unless it is known.
    func add(_ property: KnownProperty, _ keyPath: AnyKeyPath) {
        var forgotten: [KnownProperty] = []
        lock.withLock {
            if places[ObjectIdentifier(keyPath)] != nil { return }
            if properties.count == Self.limit {
                swap(&forgotten, &properties)
                places = [:]
            }
            places[ObjectIdentifier(keyPath)] = properties.count
            properties.append(property)
        }
    }
}
