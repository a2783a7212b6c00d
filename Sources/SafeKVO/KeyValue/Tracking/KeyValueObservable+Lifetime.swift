internal import CSafeKVO

extension KeyValueObservable {
    /// Whether the object has begun its `deinit`: then it may be neither retained nor referenced weakly for the first time.
    var isBeingDestroyed: Bool {
        // SAFETY: the address of an object that the caller is using; the runtime only looks at its reference count.
        unsafe safekvo_is_deallocating(UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    }
}
