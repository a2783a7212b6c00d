/// Comparisons by bytes, for values of any type.
@usableFromInline
enum SameBytes {
    /// Returns the word of a value that is one reference, such as an array, a set or an object, also in an optional; otherwise zero.
    ///
    /// Two values of one type with the same word are the same value. Equal values may have different words.
    @_alwaysEmitIntoClient
    @inline(__always)
    static func word<Value>(of value: Value) -> UInt {
        if _isPOD(Value.self) || MemoryLayout<Value>.size != MemoryLayout<UInt>.size { return 0 }
        // SAFETY: the value has the size of a word. The word is compared and never dereferenced.
        return unsafe withUnsafeBytes(of: value) { unsafe $0.loadUnaligned(as: UInt.self) }
    }

    /// `true` if a word is that of an empty collection, which all empty collections of a kind share, whatever they were made from.
    @usableFromInline
    static func isOfEmptyCollection(_ word: UInt) -> Bool { emptyCollections.contains(word) }

    private static let emptyCollections = [word(of: [Int]()), word(of: Set<Int>()), word(of: [Int: Int]())]

    /// Returns `true` if two values have the same bytes; copies of one value may differ in padding.
    @_alwaysEmitIntoClient
    static func areSame<Value>(_ first: Value, _ second: Value) -> Bool {
        // SAFETY: the bytes belong to the two arguments and are used only during the call.
        unsafe withUnsafeBytes(of: first) { first in
            unsafe withUnsafeBytes(of: second) { second in unsafe first.elementsEqual(second) }
        }
    }
}

extension Equatable {
    /// Returns `true` if another value has the same type and is equal; for values whose type is known at run time only.
    @usableFromInline
    package func isEqual(to other: Any?) -> Bool { other as? Self == self }
}
