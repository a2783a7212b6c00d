extension ObservationController {
    /// Removes the observation of a key path.
    ///
    /// When it returns, no new call starts, not even in a delivery under way; a call that is running elsewhere ends by itself. Removing
    /// what is not observed does nothing, and is counted.
    ///
    /// - Parameters:
    ///   - object: The observed object.
    ///   - keyPath: The key path; any spelling of an observed property will do.
    ///   - tag: The tag that it was observed under, if any.
    /// - Returns: how many observations were removed: one or none.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func unobserve<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, tag: ObservationTag? = nil
    ) -> Int {
        unobserve(object, spelled: keyPath, tag: tag)
    }

    /// Removes the observations of several key paths.
    ///
    /// - Parameters:
    ///   - object: The observed object.
    ///   - keyPaths: The key paths.
    ///   - tag: The tag that they were observed under, if any.
    /// - Returns: how many observations were removed.
    /// - Complexity: O(*k*) for *k* key paths.
    @discardableResult
    public func unobserve<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], tag: ObservationTag? = nil
    ) -> Int {
        keyPaths.reduce(0) { $0 + unobserve(object, spelled: $1, tag: tag) }
    }

    /// Removes all observations of an object or a source, under every tag, whatever announces its changes.
    ///
    /// - Parameter object: The observed object.
    /// - Returns: how many observations were removed.
    /// - Complexity: O(*k*) for *k* observations of the object by this controller.
    @discardableResult
    public func unobserve(_ object: AnyObject?) -> Int {
        core.unobserve(object)
    }

    private func unobserve<Object: KeyPathObservable>(_ object: Object?, spelled keyPath: AnyKeyPath, tag: ObservationTag?) -> Int {
        object?._unobserve(keyPath, _ObservationRemoval(core: core, tag: tag)) ?? core.unobserve(list: nil, tag: tag)
    }
}
