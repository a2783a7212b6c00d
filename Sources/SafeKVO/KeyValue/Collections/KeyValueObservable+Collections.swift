extension KeyValueObservable {
    /// The array at a key path, to be changed element by element.
    ///
    /// ```swift
    /// album.mutableArrayValue(for: \.photos).append(photo)
    /// ```
    ///
    /// What is done to it is done to the object's array, and observers of the key path are told which elements it was about. Asking for it
    /// announces nothing.
    ///
    /// The key path leads through observed properties to one, by `.` and `!`. One through anything else (a subscript, a structure, a computed
    /// or an overridden property) works too, but the whole array is assigned each time, and observers hear a setting.
    ///
    /// The array is changed where it is stored, without a copy: `willSet` and `didSet` of the property itself do not run. Where they must,
    /// give the key path of a computed property over it.
    ///
    /// - Parameter keyPath: Where the array is; it may lead through other objects.
    /// - Returns: a reference to the array, which retains the object.
    /// - Complexity: O(1)
    public func mutableArrayValue<Element>(for keyPath: ReferenceWritableKeyPath<Self, [Element]>) -> MutableArrayValue<Self, Element> {
        MutableArrayValue(subject: self, keyPath: keyPath)
    }

    /// The set at a key path, to be changed member by member.
    ///
    /// ```swift
    /// album.mutableSetValue(for: \.tags).insert("family")
    /// ```
    ///
    /// What is done to it is done to the object's set, and observers of the key path are told which members came and which went. Asking for
    /// it announces nothing.
    ///
    /// The key path leads through observed properties to one, by `.` and `!`. One through anything else (a subscript, a structure, a computed
    /// or an overridden property) works too, but the whole set is assigned each time, and observers hear a setting.
    ///
    /// The set is changed where it is stored, without a copy: `willSet` and `didSet` of the property itself do not run. Where they must,
    /// give the key path of a computed property over it.
    ///
    /// - Parameter keyPath: Where the set is; it may lead through other objects.
    /// - Returns: a reference to the set, which retains the object.
    /// - Complexity: O(1)
    public func mutableSetValue<Element>(for keyPath: ReferenceWritableKeyPath<Self, Set<Element>>) -> MutableSetValue<Self, Element> {
        MutableSetValue(subject: self, keyPath: keyPath)
    }
}
