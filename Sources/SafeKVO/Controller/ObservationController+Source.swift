extension ObservationController {
    /// Observes a source: calls the handler with the observer and the event for each event.
    ///
    /// The handler runs on the thread on which the source notifies, in the order in which observers registered.
    ///
    /// - Parameters:
    ///   - source: What to observe. Observing `nil` does nothing.
    ///   - tag: Keeps two observations of one source apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the source under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called for each event.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Source: ObservationSource>(
        _ source: Source?,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ event: Source.Event) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        guard let source else { return registration.refused(.noObject) }
        if let refusal = core.refusal(of: source) { return registration.refused(refusal) }
        return core.register(
            registration, list: source.observationRegistrar.list(of: source), make: { HandlerInfo(event: $0, handler) })
    }

    /// Observes a source: calls the handler with the observer, the source and the event for each event.
    ///
    /// The handler runs on the thread on which the source notifies, in the order in which observers registered.
    ///
    /// - Parameters:
    ///   - source: What to observe. Observing `nil` does nothing.
    ///   - tag: Keeps two observations of one source apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the source under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called for each event.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Source: ObservationSource>(
        _ source: Source?,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ source: Source, _ event: Source.Event) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(source, registration, handler: handler)
    }

    /// Observes a source as a registration says.
    @inlinable
    func observe<Source: ObservationSource>(
        _ source: Source?, _ registration: Registration, handler: @escaping (Observer, Source, Source.Event) -> Void
    ) -> ObservationResult {
        guard let source else { return registration.refused(.noObject) }
        if let refusal = core.refusal(of: source) { return registration.refused(refusal) }
        return core.register(
            registration, list: source.observationRegistrar.list(of: source), make: { SubjectHandlerInfo(event: $0, handler) })
    }

    /// Removes the observation of a source under a tag.
    ///
    /// - Parameters:
    ///   - source: The observed source.
    ///   - tag: The tag that it was observed under; nil for none.
    /// - Returns: how many observations were removed: one or none.
    /// - Complexity: O(1).
    @discardableResult
    public func unobserve<Source: ObservationSource>(_ source: Source?, tag: ObservationTag?) -> Int {
        guard let source else { return core.unobserve(list: nil, tag: tag) }
        return withExtendedLifetime(source.observationRegistrar.list(of: source)) { core.unobserve(list: Unretained($0), tag: tag) }
    }
}
