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
    ///   `ObservationSnapshot.unmatchedChange`. It is reported once as a warning: at the 100th change that notified nobody, when the
    ///   thread observes the key path again, or when the object is deallocated.
    ///
    /// - Parameter keyPath: The key path of the value that will change.
    @_alwaysEmitIntoClient
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID, line: UInt = #line) {
        ManualChange(root: self, keyPath: keyPath, position: SourcePosition(fileID: fileID, line: line)).begin(isBare: true)
    }

    /// Ends a change of a key path that ``willChangeValue(for:fileID:line:)`` began, and notifies the observers.
    ///
    /// The observers are called on this thread, before this function returns, unless another thread is calling observers of the key, which then
    /// calls them once more. Observers of the key that this thread has registered since the change began are not called. If this thread has not
    /// begun such a change, nothing happens.
    ///
    /// - Parameter keyPath: The key path of the value that has changed.
    @_alwaysEmitIntoClient
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
    @_alwaysEmitIntoClient
    @discardableResult
    public func withChange<Value, Result, Failure: Error>(
        of keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try ManualChange(root: self, keyPath: keyPath, position: SourcePosition(fileID: fileID, line: line)).around(body)
    }
}

extension ManualChange {
    @_alwaysEmitIntoClient
    func around<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        begin()
        defer { end() }
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
    @_alwaysEmitIntoClient
    public func access<Value>(_ keyPath: @autoclosure () -> KeyPath<Self, Value>) {
        _track(.read, keyPath)
        if safekvo_is_recording() { PropertyAccess.recordAccess(self, keyPath()) }
    }
}

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
    @_alwaysEmitIntoClient
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
    @usableFromInline let change: ManualChange

    @_alwaysEmitIntoClient
    init(_ change: ManualChange) {
        self.change = change
        change.begin()
    }

    /// Ends the change and notifies the observers.
    ///
    /// The observers are called on this thread, before this function returns, unless another thread is calling observers of the key, which then
    /// calls them once more. Observers of the key that this thread has registered since the change began are not called. If changes of one key
    /// path nest, the observers are called when the outermost one ends.
    @available(*, noasync, message: "End the change in the synchronous function that announced it.")
    public consuming func didChange() {}

    /// Ends the change without notifying observers, because the change was not made.
    ///
    /// Observers that were called before the change are not called after it. Values that were assigned to the property since the change
    /// began are not delivered.
    @available(*, noasync, message: "End the change in the synchronous function that announced it.")
    public consuming func cancel() { change.isCancelled = true }

    @inlinable deinit { change.end() }
}

@available(*, unavailable)
extension ChangeAnnouncement: Sendable {}

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
    @_alwaysEmitIntoClient
    @discardableResult
    public func withChange<Value: RangeReplaceableCollection & RandomAccessCollection, Result, Failure: Error>(
        _ kind: KeyValueChangeKind, valuesAt indexes: RangeSet<Int>, of keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID,
        line: UInt = #line, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result where Value.Index == Int {
        let elements = kind == .setting ? nil : AnnouncedChange<Value>.elements(kind, at: indexes)
        let change = ManualChange(root: self, keyPath: keyPath, elements: elements, position: SourcePosition(fileID: fileID, line: line))
        return try change.around(body)
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
    @_alwaysEmitIntoClient
    @discardableResult
    public func withChange<Element, Result, Failure: Error>(
        of keyPath: KeyPath<Self, Set<Element>>, withSetMutation mutation: KeyValueSetMutation, using elements: Set<Element>,
        fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let position = SourcePosition(fileID: fileID, line: line)
        let change = ManualChange(root: self, keyPath: keyPath, elements: .mutation(mutation, elements), position: position)
        return try change.around(body)
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
