internal import CSafeKVO

/// Announcing changes by hand: of computed properties over state that is not observable, and of properties whose class says that assignments
/// announce nothing.
extension KeyValueObservable {
    /// Announces that a change of a key path is to come.
    ///
    /// Observers that asked for prior calls are called, and those who want old values have theirs read.
    /// ``didChangeValue(for:fileID:line:column:)`` must follow on the same thread; ``withChange(of:fileID:line:column:_:)`` sees to that.
    /// Announcements of one key nest, and the outermost pair tells one change. An assignment to the property itself meanwhile
    /// is the change that was announced: it is told at once, and the end tells nothing more.
    ///
    /// If it is never ended, later announcements of the key on this thread are taken to be inside it, and tell nothing, until one comes that cannot be:
    /// from far up the stack, or from the place of this one or of the announcement before. Then it is ended, and reported as a warning.
    ///
    /// - Parameters:
    ///   - keyPath: What changes.
    ///   - fileID: Leave it out: it tells diagnostics where the announcement was written.
    ///   - line: Leave it out, likewise.
    ///   - column: Leave it out, likewise.
    public func willChangeValue<Value>(
        for keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
    ) {
        let place = AnnouncementPlace(position: SourcePosition(fileID: fileID, line: line), column: column, stack: safekvo_stack_position())
        ManualChange(root: self, keyPath: keyPath, change: .setting, place: place)
            .willChange(assignments: 0)
    }

    /// Announces that a change of a key path was made.
    ///
    /// The observers that were there when it was announced to come, and still are, are called. Without that announcement nothing happens.
    ///
    /// - Parameters:
    ///   - keyPath: What changed.
    ///   - fileID: Leave it out: it tells diagnostics where the announcement was written.
    ///   - line: Leave it out, likewise.
    ///   - column: Leave it out, likewise.
    public func didChangeValue<Value>(
        for keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column
    ) {
        let place = AnnouncementPlace(position: SourcePosition(fileID: fileID, line: line), column: column, stack: 0)
        ManualChange(root: self, keyPath: keyPath, change: .setting, place: place).didChange()
    }

    /// Makes a change of a key path, and announces it before and after.
    ///
    /// ```swift
    /// var title: String {
    ///     get { file.readTitle() }
    ///     set { withChange(of: \.title) { file.writeTitle(newValue) } }
    /// }
    /// ```
    ///
    /// However often the property is assigned to inside, observers hear one change. It is announced as made also if the closure throws.
    ///
    /// - Parameters:
    ///   - keyPath: What changes.
    ///   - fileID: Leave it out: it tells diagnostics where the announcement was written.
    ///   - line: Leave it out, likewise.
    ///   - column: Leave it out, likewise.
    ///   - body: Makes the change.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
    @discardableResult
    public func withChange<Value, Result, Failure: Error>(
        of keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let place = AnnouncementPlace(position: SourcePosition(fileID: fileID, line: line), column: column, stack: safekvo_stack_position())
        return try around(
            ManualChange(root: self, keyPath: keyPath, change: .setting, place: place), body)
    }

    func around<Value, Result, Failure: Error>(
        _ change: ManualChange<Self, Value>, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        change.willChange(assignments: OpenAnnouncement.allAssignments)
        defer { change.didChange() }
        return try AnnouncedScope.run(of: self, change.keyPath, body)
    }
}
