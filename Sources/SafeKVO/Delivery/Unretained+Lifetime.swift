internal import CSafeKVO

extension Unretained {
    /// Whether the object has begun its `deinit`: then it may be neither retained nor referenced weakly for the first time.
    ///
    /// Asking the runtime does neither.
    @unsafe var isBeingDestroyed: Bool {
        // SAFETY: the address of an object that the caller is using; only its reference count is looked at.
        unsafe UnsafeRawPointer(bitPattern: word).map { unsafe safekvo_is_deallocating($0) } ?? false
    }
}
