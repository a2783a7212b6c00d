package import SafeKVO

extension KeyValueChange {
    /// The change in one line, for whole histories: "after old 0 new 1".
    ///
    /// What is absent is left out, so that absent and present nil look different.
    package var told: String {
        var words: [String] = [isInitial ? "initial" : isPrior ? "prior" : "after"]
        if isInitial && isPrior { words.append("(and prior)") }
        if kind != .setting { words.append("\(kind)") }
        if let oldValue { words.append("old \(oldValue)") }
        if let newValue { words.append("new \(newValue)") }
        if let indexes { words.append("at \(indexes.ranges.map { "\($0)" }.joined(separator: " "))") }
        return words.joined(separator: " ")
    }
}
