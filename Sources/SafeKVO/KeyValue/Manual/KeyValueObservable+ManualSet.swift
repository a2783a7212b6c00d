internal import CSafeKVO

extension KeyValueObservable {
    /// Announces that elements of a set are about to come or go.
    ///
    /// ``didChangeValue(for:withSetMutation:using:fileID:line:column:)`` must follow on the same thread. Assignments meanwhile are part of the change.
    /// Observers are told what really came and went.
    ///
    /// - Parameters:
    ///   - keyPath: The set.
    ///   - mutation: What is done to it.
    ///   - elements: With which elements.
    ///   - fileID: Leave it out: it tells diagnostics where the announcement was written.
    ///   - line: Leave it out, likewise.
    ///   - column: Leave it out, likewise.
    public func willChangeValue<Element>(
        for keyPath: KeyPath<Self, Set<Element>>, withSetMutation mutation: KeyValueSetMutation, using elements: Set<Element>,
        fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
    ) {
        let place = AnnouncementPlace(position: SourcePosition(fileID: fileID, line: line), column: column, stack: safekvo_stack_position())
        setChange(mutation, elements, keyPath, place).willChange(assignments: max(1, elements.count))
    }

    /// Announces that elements of a set came or went.
    ///
    /// - Parameters:
    ///   - keyPath: The set.
    ///   - mutation: What was done to it.
    ///   - elements: With which elements.
    ///   - fileID: Leave it out: it tells diagnostics where the announcement was written.
    ///   - line: Leave it out, likewise.
    ///   - column: Leave it out, likewise.
    public func didChangeValue<Element>(
        for keyPath: KeyPath<Self, Set<Element>>, withSetMutation mutation: KeyValueSetMutation, using elements: Set<Element>,
        fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
    ) {
        let place = AnnouncementPlace(position: SourcePosition(fileID: fileID, line: line), column: column, stack: 0)
        setChange(mutation, elements, keyPath, place).didChange()
    }

    /// Changes a set, and announces it before and after.
    ///
    /// - Parameters:
    ///   - keyPath: The set.
    ///   - mutation: What is done to it.
    ///   - elements: With which elements.
    ///   - fileID: Leave it out: it tells diagnostics where the announcement was written.
    ///   - line: Leave it out, likewise.
    ///   - column: Leave it out, likewise.
    ///   - body: Does it.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
    @discardableResult
    public func withChange<Element, Result, Failure: Error>(
        of keyPath: KeyPath<Self, Set<Element>>, withSetMutation mutation: KeyValueSetMutation, using elements: Set<Element>,
        fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let place = AnnouncementPlace(position: SourcePosition(fileID: fileID, line: line), column: column, stack: safekvo_stack_position())
        return try around(setChange(mutation, elements, keyPath, place), body)
    }

    private func setChange<Element>(
        _ mutation: KeyValueSetMutation, _ elements: Set<Element>, _ keyPath: KeyPath<Self, Set<Element>>, _ place: AnnouncementPlace
    ) -> ManualChange<Self, Set<Element>> {
        ManualChange(
            root: self, keyPath: keyPath, change: .mutation(mutation, elements), place: place)
    }
}
