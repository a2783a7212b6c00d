internal import CSafeKVO

extension KeyValueObservable {
    /// Announces that elements of a collection are about to be inserted, removed or replaced.
    ///
    /// ``didChange(_:valuesAt:for:fileID:line:column:)`` must follow on the same thread, with the same kind and positions. Assignments meanwhile are part
    /// of the change. If what was announced was not done, observers are told a setting, and a warning is reported.
    ///
    /// - Parameters:
    ///   - kind: What is done to the elements.
    ///   - indexes: Their positions, of an insertion after it.
    ///   - keyPath: The collection.
    ///   - fileID: Leave it out: it tells diagnostics where the announcement was written.
    ///   - line: Leave it out, likewise.
    ///   - column: Leave it out, likewise.
    public func willChange<Value: RangeReplaceableCollection & RandomAccessCollection>(
        _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>, for keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID,
        line: UInt = #line, column: UInt = #column
    ) where Value.Index == Int {
        let place = AnnouncementPlace(position: SourcePosition(fileID: fileID, line: line), column: column, stack: safekvo_stack_position())
        // The greatest number stands for something else.
        elementsChange(kind, indexes, keyPath, place).willChange(assignments: min(max(1, indexes.count), .max - 1))
    }

    /// Announces that elements of a collection were inserted, removed or replaced.
    ///
    /// - Parameters:
    ///   - kind: What was done to the elements.
    ///   - indexes: Their positions, as announced before.
    ///   - keyPath: The collection.
    ///   - fileID: Leave it out: it tells diagnostics where the announcement was written.
    ///   - line: Leave it out, likewise.
    ///   - column: Leave it out, likewise.
    public func didChange<Value: RangeReplaceableCollection & RandomAccessCollection>(
        _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>, for keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID,
        line: UInt = #line, column: UInt = #column
    ) where Value.Index == Int {
        let place = AnnouncementPlace(position: SourcePosition(fileID: fileID, line: line), column: column, stack: 0)
        elementsChange(kind, indexes, keyPath, place).didChange()
    }

    /// Inserts, removes or replaces elements of a collection, and announces it before and after.
    ///
    /// - Parameters:
    ///   - kind: What is done to the elements.
    ///   - indexes: Their positions, of an insertion after it.
    ///   - keyPath: The collection.
    ///   - fileID: Leave it out: it tells diagnostics where the announcement was written.
    ///   - line: Leave it out, likewise.
    ///   - column: Leave it out, likewise.
    ///   - body: Does it.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
    @discardableResult
    public func withChange<Value: RangeReplaceableCollection & RandomAccessCollection, Result, Failure: Error>(
        _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>, of keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID,
        line: UInt = #line, column: UInt = #column, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result where Value.Index == Int {
        let place = AnnouncementPlace(position: SourcePosition(fileID: fileID, line: line), column: column, stack: safekvo_stack_position())
        return try around(elementsChange(kind, indexes, keyPath, place), body)
    }

    private func elementsChange<Value: RangeReplaceableCollection & RandomAccessCollection>(
        _ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>, _ keyPath: KeyPath<Self, Value>, _ place: AnnouncementPlace
    ) -> ManualChange<Self, Value> where Value.Index == Int {
        ManualChange(
            root: self, keyPath: keyPath, change: .elements(kind, at: indexes), place: place)
    }
}
