/// Manual notification where the change cannot be made in a closure: the value that is returned ends it.
extension KeyValueObservable {
    /// Announces a change of a key path, and returns a value that ends it.
    ///
    /// ```swift
    /// let change = willChange(\.title)
    /// file.writeTitle(newValue)
    /// change.didChange()
    /// ```
    ///
    /// Observers that asked for a call before the change are called. If ``ChangeAnnouncement/didChange()`` is not called, the end of the value's
    /// scope ends the change. As with ``withChange(of:fileID:line:_:)``, assignments to the property inside are part of the change, and changes of
    /// one key nest.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of what changes.
    ///   - fileID: Leave it out: it names the file in diagnostics.
    ///   - line: Leave it out: it names the line in diagnostics.
    /// - Returns: the announced change.
    @available(*, noasync, message: "Use 'withChange', or announce the change in a synchronous function.")
    public func willChange<Value>(
        _ keyPath: KeyPath<Self, Value>, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ChangeAnnouncement<Self, Value> {
        let position = SourcePosition(fileID: fileID, line: line)
        return ChangeAnnouncement(ManualChange(root: self, keyPath: keyPath, change: .setting, position: position))
    }

    /// Announces that elements of a collection will be inserted, removed or replaced, and returns a value that ends the change.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the collection.
    ///   - kind: The kind of the change.
    ///   - indexes: The positions of the elements; of an insertion, those after it.
    ///   - fileID: Leave it out: it names the file in diagnostics.
    ///   - line: Leave it out: it names the line in diagnostics.
    /// - Returns: the announced change.
    @available(*, noasync, message: "Use 'withChange', or announce the change in a synchronous function.")
    public func willChange<Value: RangeReplaceableCollection & RandomAccessCollection>(
        _ keyPath: KeyPath<Self, Value>, _ kind: KeyValueChangeKind, at indexes: RangeSet<Int>, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ChangeAnnouncement<Self, Value> where Value.Index == Int {
        let position = SourcePosition(fileID: fileID, line: line)
        return ChangeAnnouncement(ManualChange(root: self, keyPath: keyPath, change: .elements(kind, at: indexes), position: position))
    }

    /// Announces a change of a set, and returns a value that ends it.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the set.
    ///   - mutation: The operation on the set.
    ///   - elements: The other operand.
    ///   - fileID: Leave it out: it names the file in diagnostics.
    ///   - line: Leave it out: it names the line in diagnostics.
    /// - Returns: the announced change.
    @available(*, noasync, message: "Use 'withChange', or announce the change in a synchronous function.")
    public func willChange<Element>(
        _ keyPath: KeyPath<Self, Set<Element>>, _ mutation: KeyValueSetMutation, using elements: Set<Element>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ChangeAnnouncement<Self, Set<Element>> {
        let position = SourcePosition(fileID: fileID, line: line)
        return ChangeAnnouncement(ManualChange(root: self, keyPath: keyPath, change: .mutation(mutation, elements), position: position))
    }
}

/// A change of a key path that was announced and has not been made yet.
///
/// ``KeyValueObservable/willChange(_:fileID:line:)`` returns it. Its end notifies the observers.
///
/// ```swift
/// let change = willChange(\.title)
/// file.writeTitle(newValue)
/// change.didChange()
/// ```
///
/// A value of this type cannot be copied, and so it ends exactly once: when ``didChange()`` or ``cancel()`` consumes it, or else at the end of
/// its scope, also if an error leaves that. Only ``cancel()`` notifies nobody. The object is retained until then.
///
/// Where the change can be made in a closure, ``KeyValueObservable/withChange(of:fileID:line:_:)`` is the simpler form.
public struct ChangeAnnouncement<Object: KeyValueObservable, Value>: ~Copyable {
    private let change: ManualChange<Object, Value>
    private let announcement: OpenAnnouncement?
    private var isCancelled = false

    init(_ change: ManualChange<Object, Value>) {
        self.change = change
        announcement = change.begin(.scoped)
    }

    /// Announces that the change was made.
    ///
    /// The observers that were there when it was announced, and still are, are called on this thread, before this returns. If changes of the same
    /// key are announced inside each other, the last one that ends calls the observers.
    @available(*, noasync, message: "End the change in the synchronous function that announced it.")
    public consuming func didChange() {}

    /// Announces nothing, because the change was not made.
    ///
    /// Observers that were called before the change get no call after it. Values that were assigned to the property inside are delivered to nobody.
    @available(*, noasync, message: "End the change in the synchronous function that announced it.")
    public consuming func cancel() { isCancelled = true }

    deinit {
        if let announcement { change.end(announcement, .scoped, isCancelled: isCancelled) }
    }
}

@available(*, unavailable)
extension ChangeAnnouncement: Sendable {}
