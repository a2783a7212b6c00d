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
