/// Observers that take all changes in one method, and tell their observations apart by a context.
extension ObservationController where Observer: KeyValueObserver {
    /// Observes a key path: calls the observer's ``KeyValueObserver/observeChange(_:of:context:)``.
    ///
    /// Everything else is as for the form with a closure that takes changes: the present value comes first if `.initial` is among the options.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - options: What is delivered, and when.
    ///   - removing: `.duplicates` leaves out changes between equal values.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - context: Handed to the observer with each change, to tell its observations apart.
    ///   - onTermination: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        context: Observer.Context, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let request = _ObservationRequest<Observer>(
            core, kind: .context, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, filter: DuplicateFilter.filter(removing))
        return observe(object, keyPath, request) { observer, object, change in
            observer.observeChange(AnyKeyValueChange(change), of: object, context: context)
        }
    }

    /// Observes several key paths as the form with a closure, and calls the observer's ``KeyValueObserver/observeChange(_:of:context:)``.
    @discardableResult
    public func observeEach<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        context: Observer.Context, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(
            kind: .context, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return observe(object, keyPaths, registration) { observer, object, change in
            observer.observeChange(change, of: object, context: context)
        }
    }
}
