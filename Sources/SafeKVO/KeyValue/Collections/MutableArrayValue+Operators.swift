extension MutableArrayValue {
    /// The elements of an array and those of a sequence, as an array that belongs to no object.
    ///
    /// Without this, the library's own `+` would take a copy of the left side and append to it, and so change the object's array.
    ///
    /// - Parameters:
    ///   - left: The first elements.
    ///   - right: The last elements.
    /// - Returns: all of them, detached.
    /// - Complexity: O(*n* + *k*)
    public static func + <Elements: Sequence>(left: Self, right: Elements) -> Self where Elements.Element == Element {
        Self(detached: left.array + Array(right))
    }

    /// The elements of an array and those of a collection, as an array that belongs to no object.
    ///
    /// - Parameters:
    ///   - left: The first elements.
    ///   - right: The last elements.
    /// - Returns: all of them, detached.
    /// - Complexity: O(*n* + *k*)
    public static func + <Elements: RangeReplaceableCollection>(left: Self, right: Elements) -> Self where Elements.Element == Element {
        Self(detached: left.array + Array(right))
    }
}

extension MutableArrayValue: Equatable where Element: Equatable {
    /// Whether two arrays have equal elements, whichever objects they belong to.
    public static func == (left: Self, right: Self) -> Bool {
        left.array == right.array
    }
}

extension MutableArrayValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The elements, as an array writes them.
    public var description: String { array.description }

    /// The elements, as an array writes them.
    public var debugDescription: String { array.debugDescription }
}
