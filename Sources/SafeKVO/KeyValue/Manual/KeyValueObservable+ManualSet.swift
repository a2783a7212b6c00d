extension KeyValueObservable {
    /// Announces that an operation is about to change a set.
    ///
    /// The same thread must end the change with ``didChangeValue(for:withSetMutation:using:fileID:line:)``. Until then, this thread's
    /// changes of the key path notify nobody.
    ///
    /// Assignments to the property before the end are part of the change. Observers get only the members that the operation adds or
    /// removes. If the result differs from what was announced, they get a change of kind `.setting`, and a warning is reported.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the set.
    ///   - mutation: The operation on the set.
    ///   - elements: The other operand of the operation.
    public func willChangeValue<Element>(
        for keyPath: KeyPath<Self, Set<Element>>, withSetMutation mutation: KeyValueSetMutation, using elements: Set<Element>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let position = SourcePosition(fileID: fileID, line: line)
        setChange(mutation, elements, keyPath, position).begin(.bare)
    }

    /// Ends a change of a set, and notifies the observers.
    ///
    /// The observers are called on this thread, before this function returns. If this thread has not begun a change of the key path,
    /// nothing happens.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the set.
    ///   - mutation: The operation on the set, as announced at the beginning.
    ///   - elements: The other operand of the operation, as announced at the beginning.
    public func didChangeValue<Element>(
        for keyPath: KeyPath<Self, Set<Element>>, withSetMutation mutation: KeyValueSetMutation, using elements: Set<Element>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let position = SourcePosition(fileID: fileID, line: line)
        setChange(mutation, elements, keyPath, position).endBare()
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
        return try around(setChange(mutation, elements, keyPath, position), body)
    }

    private func setChange<Element>(
        _ mutation: KeyValueSetMutation, _ elements: Set<Element>, _ keyPath: KeyPath<Self, Set<Element>>, _ position: SourcePosition
    ) -> ManualChange<Self, Set<Element>> {
        ManualChange(
            root: self, keyPath: keyPath, change: .mutation(mutation, elements), position: position)
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
