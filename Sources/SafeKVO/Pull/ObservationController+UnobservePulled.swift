/// Ends observations of objects that announce nothing: what is polled, and what is `@Observable`.
extension ObservationController {
    /// Removes the observation of a value that is polled, or of a key path of an `@Observable` object.
    ///
    /// When it returns, no new call starts; a call that is running elsewhere ends by itself. Removing what is not observed does nothing, and is
    /// counted.
    ///
    /// - Parameters:
    ///   - object: The observed object.
    ///   - keyPath: The key path; any spelling of it will do.
    ///   - tag: The tag that it was observed under, if any.
    /// - Returns: how many observations were removed: one or none.
    /// - Complexity: O(1), however many others observe.
    @_disfavoredOverload
    @discardableResult
    public func unobserve<Object: AnyObject, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, tag: ObservationTag? = nil
    ) -> Int {
        core.unpull(object, keyPath, tag: tag)
    }
}
