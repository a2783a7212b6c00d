extension KeyValueObservable {
    /// Returns a proxy for the array at a key path, which changes the array element by element.
    ///
    /// ```swift
    /// album.mutableArrayValue(for: \.photos).append(photo)
    /// ```
    ///
    /// An operation on the proxy changes the object's array. Observers of the key path are notified of the elements that it concerns.
    ///
    /// The key path should consist of observed properties, joined by `.` or `!`. With any other key path, for example through a subscript,
    /// a structure, a constant (`let`) or a computed property, each operation assigns the whole array, and observers get a change of kind
    /// `.setting`.
    ///
    /// The array is changed in its storage, without a copy. So `willSet` and `didSet` of the property do not run. If they must run, pass
    /// the key path of a computed property that gets and sets the observed one. Only if the object's class inherits the property, a changed
    /// copy is assigned, so that an overriding setter runs.
    ///
    /// - Parameter keyPath: The key path of the array. It may lead through other objects.
    /// - Returns: the proxy, which retains the object.
    /// - Complexity: O(1)
    @_alwaysEmitIntoClient
    public func mutableArrayValue<Element>(for keyPath: ReferenceWritableKeyPath<Self, [Element]>) -> MutableArrayValue<Self, Element> {
        MutableArrayValue(subject: self, keyPath: keyPath)
    }

    /// Returns a proxy for the set at a key path, which changes the set member by member.
    ///
    /// ```swift
    /// album.mutableSetValue(for: \.tags).insert("family")
    /// ```
    ///
    /// An operation on the proxy changes the object's set. Observers of the key path are notified of the added and removed members.
    ///
    /// The key path should consist of observed properties, joined by `.` or `!`. With any other key path, each operation assigns the whole
    /// set, and observers get a change of kind `.setting`.
    ///
    /// With a key path of observed properties, the set is changed in its storage, without a copy, and `willSet` and `didSet` of the
    /// property do not run. If they must run, see ``mutableArrayValue(for:)``.
    ///
    /// - Parameter keyPath: The key path of the set. It may lead through other objects.
    /// - Returns: the proxy, which retains the object.
    /// - Complexity: O(1)
    @_alwaysEmitIntoClient
    public func mutableSetValue<Element>(for keyPath: ReferenceWritableKeyPath<Self, Set<Element>>) -> MutableSetValue<Self, Element> {
        MutableSetValue(subject: self, keyPath: keyPath)
    }
}
