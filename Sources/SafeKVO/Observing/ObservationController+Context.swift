extension ObservationController where Observer: KeyValueObserver {
    /// Calls the observer's ``KeyValueObserver/observeChange(_:of:context:)`` with each change of a property.
    ///
    /// The method is called on the thread that makes the change, before the setter returns. With `.initial` in the options, it is
    /// also called once before this function returns. Otherwise this overload works like the one that takes a closure with a
    /// change.
    ///
    /// - Parameters:
    ///   - object: The object to observe. If it is `nil`, nothing is registered.
    ///   - keyPath: The key path from the object to the value.
    ///   - options: The values that each change contains (`.new`, `.old`), and additional calls (`.initial`, `.prior`).
    ///   - removing: `.duplicates` to skip a change whose old value and new value are equal.
    ///   - tag: A tag that tells two observations of one key path apart.
    ///   - ifAlreadyObserved: The action if the controller already has an observation of this key path, object and tag.
    ///   - context: A value that the observer gets with each change, to tell its observations apart.
    ///   - onTermination: A closure that is called once, after the last call of the handler, with the reason why the observation
    ///     ended.
    /// - Returns: A result that says whether the observation was added. You may ignore it.
    /// - Complexity: O(1), regardless of the number of other observers.
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        context: Observer.Context, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.context, options, tag, ifAlreadyObserved, isolation, fileID, line, onTermination, removing?.filter)
        return observe(object, keyPath, registration) { observer, object, change in
            observer.observeChange(AnyKeyValueChange(change), of: object, context: context)
        }
    }

    /// Calls the observer's ``KeyValueObserver/observeChange(_:of:context:)`` with each change of several properties.
    ///
    /// Each key path gets an observation of its own. The method runs on the thread that makes the change, before the setter
    /// returns.
    @discardableResult
    public func observeEach<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        context: Observer.Context, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(.context, options, tag, ifAlreadyObserved, isolation, fileID, line, onTermination)
        return observe(object, keyPaths, registration) { observer, object, change in
            observer.observeChange(change, of: object, context: context)
        }
    }
}
