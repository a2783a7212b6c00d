/// What belongs to a handler and goes with it: it is released at removal, as soon as no call is running, while the info may have to wait.
///
/// Subclasses hold the handler itself, with the types that it was written for.
@usableFromInline
class HandlerContext {
    /// A change handed to an observer keeps the context for the sake of the key path.
    ///
    /// A literal key path is one object for the whole program, which two threads would fight over if each change retained it.
    let keyPath: AnyKeyPath?

    @usableFromInline
    init(keyPath: AnyKeyPath?) {
        self.keyPath = keyPath
    }
}
