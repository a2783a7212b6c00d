/// Functions for manual notification of changes of some elements of a collection.
extension KeyValueObservable {
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
        let elements = kind == .setting ? nil : AnnouncedChange<Value>.elements(kind, at: indexes)
        let change = ManualChange(root: self, keyPath: keyPath, elements: elements, position: SourcePosition(fileID: fileID, line: line))
        return try around(change, body)
    }

    /// Runs a closure that changes a set, and notifies the observers before and after it.
    ///
    /// Observers get only the members that the operation adds or removes. Observers are notified even if the closure throws.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the set.
    ///   - mutation: The operation on the set.
    ///   - elements: The other operand of the operation.
    ///   - body: A closure that makes the change.
    /// - Returns: the result of the closure.
    /// - Throws: the error of the closure.
    @discardableResult
    public func withChange<Element, Result, Failure: Error>(
        of keyPath: KeyPath<Self, Set<Element>>, withSetMutation mutation: KeyValueSetMutation, using elements: Set<Element>,
        fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let position = SourcePosition(fileID: fileID, line: line)
        let change = ManualChange(root: self, keyPath: keyPath, elements: .mutation(mutation, elements), position: position)
        return try around(change, body)
    }
}

/// The operation on a set that a manual notification announces.
public enum KeyValueSetMutation: Sendable {
    /// The members of another set are added, as by `formUnion(_:)`.
    case union
    /// The members of another set are removed, as by `subtract(_:)`.
    case minus
    /// All members that another set does not contain are removed, as by `formIntersection(_:)`.
    case intersect
    /// The set is replaced by another set.
    case set
}
