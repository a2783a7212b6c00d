extension ObservationController {
    /// Observes several key paths of one object, whose values may be of different types: calls a method of the observer without arguments.
    ///
    /// ```swift
    /// observations.observe(clock, [\.date, \.zone], action: ClockView.clockDidChange)
    /// ```
    ///
    /// Each key path is an observation of its own: one that is observed already is left as it is, alone, and `.initial` calls once for each.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPaths: Which of its values.
    ///   - options: What to be told, and when.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - action: The method. It is not bound to the observer, so nothing is retained.
    ///   - onEnd: Called once for each key path, after its last call, with the reason for which the observation ended.
    /// - Returns: what came of each key path, in order.
    /// - Complexity: O(*k*) for *k* key paths.
    @discardableResult
    public func observe<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = .new,
        tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> () -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(
            kind: .action, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(object, keyPaths, registration) { observer, object, change in action(observer)() }
    }

    /// Observes several key paths of one object, whose values may be of different types: calls a method of the observer with the change.
    ///
    /// ```swift
    /// observations.observe(clock, [\.date, \.zone], action: ClockView.clockDidChange(_:))
    /// ```
    ///
    /// Each key path is an observation of its own: one that is observed already is left as it is, alone, and `.initial` calls once for each.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPaths: Which of its values.
    ///   - options: What to be told, and when.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - action: The method. It is not bound to the observer, so nothing is retained.
    ///   - onEnd: Called once for each key path, after its last call, with the reason for which the observation ended.
    /// - Returns: what came of each key path, in order.
    /// - Complexity: O(*k*) for *k* key paths.
    @discardableResult
    public func observe<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = .new,
        tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (AnyKeyValueChange) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(
            kind: .action, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(object, keyPaths, registration) { observer, object, change in action(observer)(change) }
    }

    /// Observes several key paths of one object, whose values may be of different types: calls a method of the observer with the change and the object.
    ///
    /// ```swift
    /// observations.observe(clock, [\.date, \.zone], action: ClockView.clockDidChange(_:of:))
    /// ```
    ///
    /// Each key path is an observation of its own: one that is observed already is left as it is, alone, and `.initial` calls once for each.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPaths: Which of its values.
    ///   - options: What to be told, and when.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - action: The method. It is not bound to the observer, so nothing is retained.
    ///   - onEnd: Called once for each key path, after its last call, with the reason for which the observation ended.
    /// - Returns: what came of each key path, in order.
    /// - Complexity: O(*k*) for *k* key paths.
    @discardableResult
    public func observe<Object: KeyPathObservable>(
        _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], options: KeyValueObservingOptions = .new,
        tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (AnyKeyValueChange, Object) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> [ObservationResult] {
        let registration = Registration(
            kind: .action, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(object, keyPaths, registration) { observer, object, change in action(observer)(change, object) }
    }
}
