extension KeyValueObservable {
    /// Announces that elements of a collection are about to be inserted, removed or replaced.
    ///
    /// The same thread must end the change with ``didChange(_:valuesAt:for:fileID:line:)``, with the same kind and positions. Until then,
    /// this thread's changes of the key path notify nobody.
    ///
    /// Assignments to the property before the end are part of the change. If the result differs from what was announced, observers get a
    /// change of the kind ``KeyValueChangeKind/setting``, and a warning is reported.
    ///
    /// - Parameters:
    ///   - kind: The kind of the change.
    ///   - indexes: The positions of the elements; for an insertion, their positions after the insertion.
    ///   - keyPath: The key path of the collection.
    public func willChange<Value: RangeReplaceableCollection & RandomAccessCollection>(
        _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>, for keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID,
        line: UInt = #line
    ) where Value.Index == Int {
        let position = SourcePosition(fileID: fileID, line: line)
        elementsChange(kind, indexes, keyPath, position).begin(.bare)
    }

    /// Ends an insertion, removal or replacement of elements of a collection, and notifies the observers.
    ///
    /// The observers are called on this thread, before this function returns. If this thread has not begun a change of the key path,
    /// nothing happens.
    ///
    /// - Parameters:
    ///   - kind: The kind of the change, as announced at the beginning.
    ///   - indexes: The positions of the elements, as announced at the beginning.
    ///   - keyPath: The key path of the collection.
    public func didChange<Value: RangeReplaceableCollection & RandomAccessCollection>(
        _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>, for keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID,
        line: UInt = #line
    ) where Value.Index == Int {
        let position = SourcePosition(fileID: fileID, line: line)
        elementsChange(kind, indexes, keyPath, position).endBare()
    }

    /// Runs a closure that inserts, removes or replaces elements of a collection, and notifies the observers before and after it.
    ///
    /// Observers are notified of the change even if the closure throws. If the result differs from what was announced, observers get a
    /// change of the kind ``KeyValueChangeKind/setting``, and a warning is reported.
    ///
    /// - Parameters:
    ///   - kind: The kind of the change.
    ///   - indexes: The positions of the elements; for an insertion, their positions after the insertion.
    ///   - keyPath: The key path of the collection.
    ///   - body: A closure that makes the change.
    /// - Returns: the result of the closure.
    /// - Throws: the error of the closure.
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
