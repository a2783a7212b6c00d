internal import CSafeKVO

/// What runs inside a function that announces a change before it and after it.
///
/// The announcement hangs in the lists that there are at the beginning. The observers of one that is made inside have not heard it come, and
/// are told nothing of what belongs to it. That is how they are known, at no cost where nobody observes.
enum AnnouncedScope {
    /// Runs something inside an announcement.
    ///
    /// The object and the key path are the caller's to keep.
    static func run<Subject: KeyValueObservable, Result, Failure: Error>(
        of subject: Subject, _ keyPath: AnyKeyPath, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: the words are compared, and followed only while this function runs, whose caller keeps the objects.
        let outer = unsafe safekvo_scope()
        var scope = unsafe safekvo_scope(
            subject: Unmanaged.passUnretained(subject).toOpaque(), key_path: Unmanaged.passUnretained(keyPath).toOpaque(),
            lists: subject.keyValueRegistrar.record(ownedBy: subject)?.with { $0.listCount } ?? 0, outer: outer)
        return try unsafe withUnsafePointer(to: &scope) { pointer throws(Failure) in
            unsafe safekvo_set_scope(pointer)
            defer { unsafe safekvo_set_scope(outer) }
            return try body()
        }
    }

    /// Whether this thread is inside an announcement of what a list is about, and began it before the list was made.
    static func isOlder(than list: Unretained<ObserverList>) -> Bool {
        // SAFETY: scopes lie on this thread's stack, further up; see above.
        var next = unsafe safekvo_scope()
        while let scope = unsafe next {
            let subject = unsafe Unretained<AnyObject>(word: UInt(bitPattern: scope.pointee.subject))
            let keyPath = unsafe Unretained<AnyKeyPath>(word: UInt(bitPattern: scope.pointee.key_path))
            let isOlder = unsafe scope.pointee.lists <= list.with { $0.number }
            if isOlder, let subject, let keyPath, unsafe list.with({ $0.withRecord { $0.isRecord(of: subject) } }),
                unsafe list.with({ list in unsafe keyPath.with { list.isAnnounced(by: $0) } })
            {
                return true
            }
            unsafe next = scope.pointee.outer
        }
        return false
    }
}
