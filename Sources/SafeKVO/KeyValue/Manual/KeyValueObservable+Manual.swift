public import CSafeKVO

/// Manual notification: of computed properties over state that is not observable, and of properties whose class says that assignments
/// notify nobody.
extension KeyValueObservable {
    /// Announces a change of a key path.
    ///
    /// This is one of two functions for code that comes from Cocoa. Prefer ``withChange(of:fileID:line:_:)`` or ``willChange(_:fileID:line:)``,
    /// which cannot fail to end the change.
    ///
    /// Observers that asked for a call before the change are called. ``didChangeValue(for:fileID:line:)`` must follow on the same thread.
    /// Changes of one key that are announced inside each other on one thread are one change: the last end calls the observers, with the value
    /// before the first beginning and the value at that end. Assignments to the property itself meanwhile are part of the change, and so are changes
    /// of what its getter reads.
    ///
    /// - Warning: Until a change is ended, observers of the key get no changes that this thread makes. A change that is not ended is
    ///   listed in ``ObservationSnapshot/unmatchedChange``, and reported as a warning when the object is deallocated or the key is observed anew on that
    ///   thread.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of what changes.
    ///   - fileID: Leave it out: it names the file in diagnostics.
    ///   - line: Leave it out: it names the line in diagnostics.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID, line: UInt = #line) {
        let position = SourcePosition(fileID: fileID, line: line)
        ManualChange(root: self, keyPath: keyPath, change: .setting, position: position).begin(.bare)
    }

    /// Announces that a change of a key path was made.
    ///
    /// The observers that were there when it was announced, and still are, are called. Without a ``willChangeValue(for:fileID:line:)`` on the same
    /// thread, nothing happens.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of what changed.
    ///   - fileID: Leave it out: it names the file in diagnostics.
    ///   - line: Leave it out: it names the line in diagnostics.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID, line: UInt = #line) {
        let position = SourcePosition(fileID: fileID, line: line)
        ManualChange(root: self, keyPath: keyPath, change: .setting, position: position).endBare()
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
    /// However often the property is assigned to inside, observers get one change. The change is announced as made also if the closure throws.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of what changes.
    ///   - fileID: Leave it out: it names the file in diagnostics.
    ///   - line: Leave it out: it names the line in diagnostics.
    ///   - body: Makes the change.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
    @discardableResult
    public func withChange<Value, Result, Failure: Error>(
        of keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let position = SourcePosition(fileID: fileID, line: line)
        return try around(ManualChange(root: self, keyPath: keyPath, change: .setting, position: position), body)
    }

    func around<Value, Result, Failure: Error>(
        _ change: ManualChange<Self, Value>, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let open = change.begin(.scoped)
        defer { if let open { change.end(open, .scoped) } }
        return try body()
    }
}

extension KeyValueObservable {
    /// Says that a getter reads something whose changes are announced by hand.
    ///
    /// ```swift
    /// var playlist: Playlist {
    ///     get { access(\.playlist); return library.playlist }
    ///     set { withChange(of: \.playlist) { library.playlist = newValue } }
    /// }
    /// ```
    ///
    /// Key paths that lead through the property, and computed properties whose getters use it, then depend on it as they depend on an ``Observed``
    /// property. Without this call they hear of announcements by the object that is observed, and by objects that observed properties return; a
    /// property that is announced by hand, of an object that is reached through another such property, needs the call.
    ///
    /// While nobody follows what a getter reads, the call costs one comparison. It may be made on any thread, and retains nothing.
    ///
    /// - Parameter keyPath: The key path of what is read, which is usually the property itself.
    @inlinable
    public func access<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>) {
        _track(.read, keyPath)
        if safekvo_is_recording() { PropertyAccess.recordAccess(self, keyPath()) }
    }
}
