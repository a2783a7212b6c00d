public import CSafeKVO

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
        if safekvo_is_recording() { PropertyAccess.recordAccess(self, keyPath()) }
    }
}
