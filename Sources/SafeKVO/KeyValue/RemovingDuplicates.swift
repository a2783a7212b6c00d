/// When two values count as equal, so that the second is left out.
///
/// A form that hands over values compares each with the last one that it handed over, and keeps that one. A form that hands over changes compares the
/// old value of each with the new one.
///
/// ```swift
/// observations.observe(clock, \.minute, removing: .duplicates) { view, minute in view.minute = minute }
/// ```
public struct RemovingDuplicates<Value> {
    @usableFromInline let areEqual: (Value, Value) -> Bool
    /// `true` if values are compared as their type says.
    let isStandard: Bool

    /// Leaves out changes whose old and new value the closure calls equal.
    ///
    /// The closure runs where the handler does; of a sequence, on the thread that makes the change.
    public static func duplicates(by areEqual: @escaping (_ old: Value, _ new: Value) -> Bool) -> Self {
        Self(areEqual: areEqual)
    }

    @usableFromInline
    init(areEqual: @escaping (Value, Value) -> Bool, isStandard: Bool = false) {
        self.areEqual = areEqual
        self.isStandard = isStandard
    }
}

extension RemovingDuplicates where Value: Equatable {
    /// Leaves out changes whose old and new value are equal.
    @inlinable
    public static var duplicates: Self {
        Self(areEqual: { $0 == $1 }, isStandard: true)
    }
}
