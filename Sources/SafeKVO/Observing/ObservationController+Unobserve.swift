extension ObservationControllerBase {
    /// Removes the observation of a key path.
    ///
    /// After this function returns, no new call of the handler begins, not even in a delivery that is in progress. A call that is
    /// already running on another thread continues. If there is no such observation, only
    /// ``ObservationCounters/ignoredRemoves`` changes.
    ///
    /// - Parameters:
    ///   - object: The observed object.
    ///   - keyPath: The key path, or another key path that names the same property.
    ///   - tag: The tag of the observation, if it has one.
    /// - Returns: The number of removed observations: one or zero.
    /// - Complexity: O(1), regardless of the number of other observers.
    @_alwaysEmitIntoClient
    @discardableResult
    public func unobserve<Object: KeyPathObservable>(
        _ object: Object?, _ keyPath: PartialKeyPath<Object>, tag: ObservationTag? = nil
    ) -> Int {
        guard let object else { return core.unobserve(list: nil, tag: tag) }
        return object._unobserve(keyPath, _ObservationRemoval(core, tag: tag))
    }

    /// Removes the observation of a polled value, or of a key path of an `@Observable` object.
    ///
    /// After this function returns, no new call of the handler begins. Otherwise this function works like the overload for
    /// ``KeyPathObservable`` objects.
    @_disfavoredOverload
    @discardableResult
    public func unobserve<Object: AnyObject>(
        _ object: Object?, _ keyPath: PartialKeyPath<Object>, tag: ObservationTag? = nil
    ) -> Int {
        core.unpull(object, keyPath, tag: tag)
    }

    /// Removes the observations of several key paths of one object.
    ///
    /// - Returns: The number of removed observations.
    /// - Complexity: O(*k*) for *k* key paths.
    @discardableResult
    @_alwaysEmitIntoClient
    public func unobserveEach<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], tag: ObservationTag? = nil
    ) -> Int {
        keyPaths.reduce(0) { $0 + unobserve(object, $1, tag: tag) }
    }

    /// Removes all observations of an object or a source by this controller.
    ///
    /// The function removes observations with and without a tag, polls, and observations of events.
    ///
    /// - Returns: The number of removed observations.
    /// - Complexity: O(*k*) for *k* observations of the object by this controller.
    @discardableResult
    public func unobserve(_ object: AnyObject?) -> Int {
        core.unobserve(object)
    }

    /// Removes the observation of a source for one topic, one object and one tag.
    ///
    /// After this function returns, no new call of the handler begins, not even in a delivery that is in progress.
    ///
    /// Pass the same arguments as at the registration. With `nil`, the function removes only the observation that was registered with
    /// `nil`, not those of single topics or objects. To remove the observations of one topic for all objects, use ``unobserveAll(_:for:)``.
    /// To remove all observations of a source, use ``unobserve(_:)``.
    ///
    /// - Parameters:
    ///   - source: The observed source.
    ///   - topic: The topic of the registration; `nil` if it has none.
    ///   - object: The object of the registration, if it has one.
    ///   - tag: The tag of the registration, if it has one.
    /// - Returns: The number of removed observations: one or zero.
    /// - Complexity: O(1).
    @_alwaysEmitIntoClient
    @discardableResult
    public func unobserve<Source: ObservationSource>(
        _ source: Source?, for topic: Source.Topic, object: Source.Sender = nil, tag: ObservationTag? = nil
    ) -> Int {
        guard let source else { return core.unobserve(list: nil, tag: tag) }
        return core.unobserve(source._target(of: topic, from: object), source.eventRegistrar.observers, tag: tag)
    }
}

extension ControllerCore {
    func unobserve(_ object: AnyObject?) -> Int {
        unobserve(records: object.map { PulledRecords.shared.existingRecords(of: $0) } ?? [])
    }
}
