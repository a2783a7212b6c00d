extension ObservationController {
    /// Removes the observation of a key path.
    ///
    /// After this function returns, no new call of the handler begins, not even in a delivery that is in progress. A call that
    /// another thread has begun is not interrupted. If there is no such observation, the function does nothing but count the
    /// attempt.
    ///
    /// - Parameters:
    ///   - object: The observed object.
    ///   - keyPath: The key path, or an equivalent key path of the same property.
    ///   - tag: The tag of the observation, if it has one.
    /// - Returns: The number of removed observations: one or zero.
    /// - Complexity: O(1), regardless of the number of other observers.
    @inlinable
    @discardableResult
    public func unobserve<Object: KeyPathObservable>(
        _ object: Object?, _ keyPath: PartialKeyPath<Object>, tag: ObservationTag? = nil
    ) -> Int {
        guard let object else { return core.unobserve(list: nil, tag: tag) }
        return object._unobserve(keyPath, _ObservationRemoval(core, tag: tag))
    }

    /// Removes the observation of a polled value, or of a key path of an `@Observable` object.
    ///
    /// After this function returns, no new call of the handler begins. Otherwise it works like the overload for
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
    /// - Parameters:
    ///   - object: The observed object.
    ///   - keyPaths: The key paths.
    ///   - tag: The tag of the observations, if they have one.
    /// - Returns: The number of removed observations.
    /// - Complexity: O(*k*) for *k* key paths.
    @discardableResult
    public func unobserveEach<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], tag: ObservationTag? = nil
    ) -> Int {
        keyPaths.reduce(0) { $0 + unobserve(object, $1, tag: tag) }
    }

    /// Removes all observations of an object or a source by this controller.
    ///
    /// Observations with every tag are removed, and also polls and observations of events.
    ///
    /// - Parameter object: The observed object or source.
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
    /// The arguments must be those of the registration. A topic of `nil` removes an observation of all topics, and an object of
    /// `nil` removes an observation of all objects. Use ``unobserveAll(_:for:)`` to remove the observations of a topic for all
    /// objects, and ``unobserve(_:)`` to remove all observations of a source.
    ///
    /// - Parameters:
    ///   - source: The observed source.
    ///   - topic: The topic of the registration; `nil` if it has none.
    ///   - object: The object of the registration, if it has one.
    ///   - tag: The tag of the registration, if it has one.
    /// - Returns: The number of removed observations: one or zero.
    /// - Complexity: O(1).
    @inlinable
    @discardableResult
    public func unobserve<Source: ObservationSource>(
        _ source: Source?, for topic: Source.Topic, object: Source.Sender = nil, tag: ObservationTag? = nil
    ) -> Int {
        guard let source else { return core.unobserve(list: nil, tag: tag) }
        return core.unobserve(source._target(of: topic, from: object), source.eventRegistrar.observers, tag: tag)
    }
}

/// The removal of all observations of one object.
extension ControllerCore {
    /// Removes all observations of an object by this controller.
    func unobserve(_ object: AnyObject?) -> Int {
        guard let object else { return unobserve(records: []) }
        let standIns = StandInFinders.shared.all(for: object)
        return withExtendedLifetime(standIns) { unobserve(records: standIns.map(\.record) + Self.records(of: object)) }
    }

    /// Returns the records that hold the observations of an object.
    ///
    /// A record belongs to one observed object. The object's registrar keeps it. For an object without a registrar, a table of
    /// the library keeps it.
    // SAFETY: The caller holds the object, whose registrar keeps the record.
    private static func records(of object: AnyObject) -> [ObservationRecord] {
        func record<Object: KeyValueObservable>(_ object: Object) -> ObservationRecord? {
            unsafe object.keyValueRegistrar.record(ownedBy: object)?.object
        }
        func record<Source: ObservationSource>(ofSource source: Source) -> ObservationRecord? {
            unsafe source.eventRegistrar.record(ownedBy: source)?.object
        }
        let (observable, source) = (object as? any KeyValueObservable, object as? any ObservationSource)
        if observable == nil, source == nil { return PulledRecords.shared.existingRecordInTable(of: object).map { [$0] } ?? [] }
        return [observable.flatMap { record($0) }, source.flatMap { record(ofSource: $0) }].compactMap { $0 }
    }
}
