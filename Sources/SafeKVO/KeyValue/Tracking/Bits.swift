/// Compares values of any type by their memory.
enum Bits {
    /// `true` if two values have the same bytes.
    ///
    /// The copy of a value has the bytes of the original, so that different bytes mean that a value was computed. Padding may differ by chance.
    static func areSame<First, Second>(_ first: First, _ second: Second) -> Bool {
        // SAFETY: the bytes are those of the two values, during the call only.
        unsafe withUnsafeBytes(of: first) { first in
            unsafe withUnsafeBytes(of: second) { second in unsafe first.elementsEqual(second) }
        }
    }
}
