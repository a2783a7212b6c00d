extension KeyValueObservable {
    /// Announces that elements of a collection are about to be inserted, removed or replaced.
    ///
    /// ``didChange(_:valuesAt:for:fileID:line:)`` must follow on the same thread, with the same kind and positions. Assignments meanwhile are part
    /// of the change, in however many steps they make it. If the result is not what was announced, observers get a setting, and a warning is
    /// reported. ``willChangeValue(for:fileID:line:)`` says what happens if the end is missing.
    ///
    /// - Parameters:
    ///   - kind: What is done to the elements.
    ///   - indexes: Their positions, of an insertion after it.
    ///   - keyPath: The collection.
    ///   - fileID: Leave it out: it names the file in diagnostics.
    ///   - line: Leave it out: it names the line in diagnostics.
    public func willChange<Value: RangeReplaceableCollection & RandomAccessCollection>(
        _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>, for keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID,
        line: UInt = #line
    ) where Value.Index == Int {
        let position = SourcePosition(fileID: fileID, line: line)
        elementsChange(kind, indexes, keyPath, position).begin(.bare)
    }

    /// Announces that elements of a collection were inserted, removed or replaced.
    ///
    /// - Parameters:
    ///   - kind: What was done to the elements.
    ///   - indexes: Their positions, as announced before.
    ///   - keyPath: The collection.
    ///   - fileID: Leave it out: it names the file in diagnostics.
    ///   - line: Leave it out: it names the line in diagnostics.
    public func didChange<Value: RangeReplaceableCollection & RandomAccessCollection>(
        _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>, for keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID,
        line: UInt = #line
    ) where Value.Index == Int {
        let position = SourcePosition(fileID: fileID, line: line)
        elementsChange(kind, indexes, keyPath, position).endBare()
    }

    /// Inserts, removes or replaces elements of a collection, and announces it before and after.
    ///
    /// - Parameters:
    ///   - kind: What is done to the elements.
    ///   - indexes: Their positions, of an insertion after it.
    ///   - keyPath: The collection.
    ///   - fileID: Leave it out: it names the file in diagnostics.
    ///   - line: Leave it out: it names the line in diagnostics.
    ///   - body: Does it.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
    @discardableResult
    public func withChange<Value: RangeReplaceableCollection & RandomAccessCollection, Result, Failure: Error>(
        _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>, of keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID,
        line: UInt = #line, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result where Value.Index == Int {
        let position = SourcePosition(fileID: fileID, line: line)
        return try around(elementsChange(kind, indexes, keyPath, position), body)
    }

    private func elementsChange<Value: RangeReplaceableCollection & RandomAccessCollection>(
        _ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>, _ keyPath: KeyPath<Self, Value>, _ position: SourcePosition
    ) -> ManualChange<Self, Value> where Value.Index == Int {
        ManualChange(
            root: self, keyPath: keyPath, change: .elements(kind, at: indexes), position: position)
    }
}
