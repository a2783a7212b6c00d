/// Makes several changes of which each observer is told as of one.
///
/// ```swift
/// withBatchedChanges {
///     clock.date = date
///     clock.zone = zone
/// }
/// ```
///
/// It holds for every change that this thread makes inside, of whatever object. At the end, also if the closure throws, each observation of a
/// key that changed gets one call, with the value before the first change and the one after the last; observers of one object are called in
/// the order in which they registered, whatever the key. Observers that asked for prior calls get one, before the first change. Changes of
/// some elements of a collection become a setting if there was more than one. Batches nest: the outermost tells. Changed objects are kept alive
/// until then. Changes by other threads, and in handlers called at the end, are told at once.
///
/// - Parameter body: Makes the changes.
/// - Returns: what the closure returns.
/// - Throws: what the closure throws.
@discardableResult
public func withBatchedChanges<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try ChangeBatch.run(body)
}

extension KeyValueObservable {
    /// Makes several changes of which each observer is told as of one, as the function of the same name does.
    ///
    /// - Parameter body: Makes the changes, of this object and of others.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
    @discardableResult
    public func withBatchedChanges<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try ChangeBatch.run(body)
    }
}
