/// Functions for manual notification that begin a change and return a token, which ends the change.
///
/// Use them if the change cannot be made in a closure.
extension KeyValueObservable {
    /// Announces that the value at a key path is about to change, and returns a token that ends the change.
    ///
    /// ```swift
    /// let change = willChange(\.title)
    /// file.writeTitle(newValue)
    /// change.didChange()
    /// ```
    ///
    /// Observers with the option ``KeyValueObservingOptions/prior`` are called on this thread, before this function returns.
    ///
    /// If ``ChangeAnnouncement/didChange()`` is not called, the change ends at the end of the token's scope. Assignments to the property
    /// before the end are part of the change. Changes of one key path may nest, as with ``withChange(of:fileID:line:_:)``.
    ///
    /// - Parameter keyPath: The key path of the value that will change.
    /// - Returns: the token.
    @available(*, noasync, message: "Use 'withChange', or announce the change in a synchronous function.")
    public func willChange<Value>(
        _ keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ChangeAnnouncement<Self, Value> {
        ChangeAnnouncement(ManualChange(root: self, keyPath: keyPath, position: SourcePosition(fileID: fileID, line: line)))
    }
}

/// A token that ends a change which was begun with ``KeyValueObservable/willChange(_:fileID:line:)``.
///
/// ```swift
/// let change = willChange(\.title)
/// file.writeTitle(newValue)
/// change.didChange()
/// ```
///
/// A token cannot be copied, so it ends the change exactly once: when ``didChange()`` or ``cancel()`` is called, otherwise at the end of
/// its scope, even if an error leaves that scope. The end notifies the observers, unless ``cancel()`` was called. The token retains the
/// object until then.
public struct ChangeAnnouncement<Object: KeyValueObservable, Value>: ~Copyable {
    private let change: ManualChange<Object, Value>
    private let announcement: OpenAnnouncement?
    private var isCancelled = false

    init(_ change: ManualChange<Object, Value>) {
        self.change = change
        announcement = change.begin()
    }

    /// Ends the change and notifies the observers.
    ///
    /// The observers are called on this thread, before this function returns. Observers of the key that registered after the change began
    /// are not called. If changes of one key path nest, the observers are called when the outermost one ends.
    @available(*, noasync, message: "End the change in the synchronous function that announced it.")
    public consuming func didChange() {}

    /// Ends the change without notifying observers, because the change was not made.
    ///
    /// Observers that were called before the change are not called after it. Values that were assigned to the property since the change
    /// began are not delivered.
    @available(*, noasync, message: "End the change in the synchronous function that announced it.")
    public consuming func cancel() { isCancelled = true }

    deinit {
        if let announcement { change.end(announcement, isCancelled: isCancelled) }
    }
}

@available(*, unavailable)
extension ChangeAnnouncement: Sendable {}
