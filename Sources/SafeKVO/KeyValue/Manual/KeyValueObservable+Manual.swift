public import CSafeKVO

/// Functions for manual notification, which notify observers of changes other than assignments to observed properties.
///
/// Use them for a computed property whose getter reads state that cannot be observed. Use them also if the class declares that assignments
/// to a property notify nobody.
extension KeyValueObservable {
    /// Announces that the value at a key path is about to change.
    ///
    /// The same thread must end the change with ``didChangeValue(for:fileID:line:)``.
    ///
    /// This is one of two functions for code that comes from Cocoa. Prefer ``withChange(of:fileID:line:_:)`` or
    /// ``willChange(_:fileID:line:)``, which always end the change.
    ///
    /// Observers with the option ``KeyValueObservingOptions/prior`` are called on this thread, before this function returns.
    ///
    /// Changes of one key path on one thread may nest. Nested changes are one change, which the outermost calls begin and end. Observers
    /// get the value at its beginning and the value at its end. The change includes assignments to the property before the end, and changes
    /// of properties that its getter reads.
    ///
    /// - Warning: Until the change is ended, this thread's changes of the key path notify nobody. A change that is not ended is listed in
    ///   ``ObservationSnapshot/unmatchedChange``. It is reported once as a warning: at the 100th change that notified nobody, when the
    ///   thread observes the key path again, or when the object is deallocated.
    ///
    /// - Parameter keyPath: The key path of the value that will change.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID, line: UInt = #line) {
        ManualChange(root: self, keyPath: keyPath, position: SourcePosition(fileID: fileID, line: line)).begin(isBare: true)
    }

    /// Ends a change of a key path that ``willChangeValue(for:fileID:line:)`` began, and notifies the observers.
    ///
    /// The observers are called on this thread, before this function returns. Observers of the key that registered after the change began
    /// are not called. If this thread has not begun such a change, nothing happens.
    ///
    /// - Parameter keyPath: The key path of the value that has changed.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID, line: UInt = #line) {
        ManualChange(root: self, keyPath: keyPath, position: SourcePosition(fileID: fileID, line: line)).endBare()
    }

    /// Runs a closure that changes a key path, and notifies the observers before and after it.
    ///
    /// ```swift
    /// var title: String {
    ///     get { file.readTitle() }
    ///     set { withChange(of: \.title) { file.writeTitle(newValue) } }
    /// }
    /// ```
    ///
    /// Observers get one change, even if the closure assigns to the property several times. Observers are notified even if the closure
    /// throws.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the value that changes.
    ///   - body: A closure that makes the change.
    /// - Returns: the result of the closure.
    /// - Throws: the error of the closure.
    @discardableResult
    public func withChange<Value, Result, Failure: Error>(
        of keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try around(ManualChange(root: self, keyPath: keyPath, position: SourcePosition(fileID: fileID, line: line)), body)
    }

    func around<Value, Result, Failure: Error>(
        _ change: ManualChange<Self, Value>, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let open = change.begin()
        defer { if let open { change.end(open) } }
        return try body()
    }
}

extension KeyValueObservable {
    /// Reports that a getter reads a value whose changes are announced with manual notifications.
    ///
    /// ```swift
    /// var playlist: Playlist {
    ///     get {
    ///         access(\.playlist)
    ///         return library.playlist
    ///     }
    ///     set { withChange(of: \.playlist) { library.playlist = newValue } }
    /// }
    /// ```
    ///
    /// With this call, key paths through the property follow it, as if it were an ``Observed`` property. So do computed properties whose
    /// getters use the property.
    ///
    /// Without this call, manual notifications of the property notify only the observers of the property itself, and of keys that declare a
    /// dependency on it.
    ///
    /// While no key path is being evaluated on this thread, the call costs one comparison. It may be made on any thread, and retains
    /// nothing.
    ///
    /// - Parameter keyPath: The key path of the value that is read. It is usually the key path of the property itself.
    @inlinable
    public func access<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>) {
        _track(.read, keyPath)
        if safekvo_is_recording() { PropertyAccess.recordAccess(self, keyPath()) }
    }
}
