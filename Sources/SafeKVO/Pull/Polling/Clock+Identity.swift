extension Clock {
    /// Whether another clock is known to tell the same time: the same object, an equal value, or one that holds nothing to be different by.
    func isSameClock(as other: Self) -> Bool {
        if Self.self is AnyObject.Type { return (self as AnyObject) === (other as AnyObject) }
        if MemoryLayout<Self>.size == 0 { return true }
        func isEqual<Value: Equatable>(_ value: Value) -> Bool { value == other as? Value }
        return (self as? any Equatable).map { isEqual($0) } ?? false
    }
}
