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
    @inlinable
    @discardableResult
    public func unobserve<Object: KeyPathObservable>(
        _ object: Object?, _ keyPath: PartialKeyPath<Object>, tag: ObservationTag? = nil
    ) -> Int {
        guard let object else { return core.unobserve(list: nil, tag: tag) }
        return object._unobserve(keyPath, _ObservationRemoval(core, tag: tag))
    }

    /// Removes the observation of a value that is polled, or of a key path of an `@Observable` object.
    ///
    /// Everything else is as for other key paths.
    @_disfavoredOverload
    @discardableResult
    public func unobserve<Object: AnyObject>(
        _ object: Object?, _ keyPath: PartialKeyPath<Object>, tag: ObservationTag? = nil
    ) -> Int {
        core.unpull(object, keyPath, tag: tag)
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
    public func unobserveEach<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], tag: ObservationTag? = nil
    ) -> Int {
        keyPaths.reduce(0) { $0 + unobserve(object, $1, tag: tag) }
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

    /// Removes one observation of a source: that of a topic, of an object, under a tag.
    ///
    /// When it returns, no new call starts, not even in a delivery under way. Exactly what was observed is removed: nil stands for an observation
    /// of every topic, or of any object. ``unobserveAll(_:for:)`` removes the observations of a topic for all objects; ``unobserve(_:)`` removes
    /// all of a source.
    ///
    /// - Parameters:
    ///   - source: The observed source.
    ///   - topic: The topic that was asked for; nil for none.
    ///   - object: The object that was asked for, if any.
    ///   - tag: The tag that it was observed under, if any.
    /// - Returns: how many observations were removed: one or none.
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

/// Removing by the object alone, whatever announces its changes.
extension ControllerCore {
    /// Removes all observations of an object.
    func unobserve(_ object: AnyObject?) -> Int {
        guard let object else { return unobserve(records: []) }
        let standIns = StandInFinders.shared.all(for: object)
        return withExtendedLifetime(standIns) { unobserve(records: standIns.map(\.record) + Self.records(of: object)) }
    }

    /// The records in which an object itself, or the library for it, keeps its observers.
    // SAFETY: the registrar of an object keeps its record.
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
