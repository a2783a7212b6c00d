/// Notices when code of the program, which runs before a handler gets a value, changes the property, so that the handler gets a newer value.
///
/// No lock is needed, because the library calls the observation's handler on one thread at a time.
@usableFromInline
final class NestedCalls {
    private var count: UInt64 = 0

    @usableFromInline
    init() {}

    /// Returns the result of a closure, or nil if the closure has called this function again, for a newer value.
    @usableFromInline
    func resultIfNewest<Result>(_ body: () -> Result) -> Result? {
        count &+= 1
        let call = count
        let result = body()
        return call == count ? result : nil
    }
}
