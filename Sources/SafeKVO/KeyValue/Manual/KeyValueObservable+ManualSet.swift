extension KeyValueObservable {
    /// Announces that elements of a set are about to come or go.
    ///
    /// ``didChangeValue(for:withSetMutation:using:fileID:line:)`` must follow on the same thread. Assignments meanwhile are part of the change.
    /// Observers get the elements that were really added and removed.
    ///
    /// - Parameters:
    ///   - keyPath: The set.
    ///   - mutation: What is done to it.
    ///   - elements: With which elements.
    ///   - fileID: Leave it out: it names the file in diagnostics.
    ///   - line: Leave it out: it names the line in diagnostics.
    public func willChangeValue<Element>(
        for keyPath: KeyPath<Self, Set<Element>>, withSetMutation mutation: KeyValueSetMutation, using elements: Set<Element>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let position = SourcePosition(fileID: fileID, line: line)
        setChange(mutation, elements, keyPath, position).begin(.bare)
    }

    /// Announces that elements of a set came or went.
    ///
    /// - Parameters:
    ///   - keyPath: The set.
    ///   - mutation: What was done to it.
    ///   - elements: With which elements.
    ///   - fileID: Leave it out: it names the file in diagnostics.
    ///   - line: Leave it out: it names the line in diagnostics.
    public func didChangeValue<Element>(
        for keyPath: KeyPath<Self, Set<Element>>, withSetMutation mutation: KeyValueSetMutation, using elements: Set<Element>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let position = SourcePosition(fileID: fileID, line: line)
        setChange(mutation, elements, keyPath, position).endBare()
    }

    /// Changes a set, and announces it before and after.
    ///
    /// - Parameters:
    ///   - keyPath: The set.
    ///   - mutation: What is done to it.
    ///   - elements: With which elements.
    ///   - fileID: Leave it out: it names the file in diagnostics.
    ///   - line: Leave it out: it names the line in diagnostics.
    ///   - body: Does it.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
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

/// What is done to a set, announced by hand.
public enum KeyValueSetMutation: Sendable {
    /// Elements are added, as by `formUnion(_:)`.
    case union
    /// Elements are taken out, as by `subtract(_:)`.
    case minus
    /// Elements that are not among others are taken out, as by `formIntersection(_:)`.
    case intersect
    /// The set becomes another.
    case set
}
