/// Events of sources: of signals, of message centres, of sources that a program writes itself.
extension ObservationController {
    /// Observes a source: calls the handler with the observer and the event for each event.
    ///
    /// ```swift
    /// observations.observe(player.finished) { view, track in view.finished(track) }
    /// observations.observe(center, for: .albumDidChange, object: album) { view, message in view.reload() }
    /// ```
    ///
    /// The handler runs on the thread on which the source notifies, in the order in which observers registered, whatever they ask for.
    ///
    /// - Parameters:
    ///   - source: What to observe. Observing `nil` does nothing.
    ///   - topic: Which events; nil for all of them. Most sources have no topics, and take nil only.
    ///   - object: The object that the events must be about; nil for any and none. It is not retained.
    ///   - tag: Keeps two observations of the same events apart.
    ///   - ifAlreadyObserved: What happens if this controller observes these events under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called for each event.
    ///   - onTermination: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Source: ObservationSource>(
        _ source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ event: Source.Event) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return core.observe(source, topic, object, registration, make: { HandlerInfo(event: $0, handler) })
    }

    /// Observes a source as the form that takes events, and hands the source to the handler as well.
    ///
    /// ```swift
    /// observations.observe(doorbell) { house, doorbell, times in doorbell.mute() }
    /// ```
    @inlinable
    @discardableResult
    public func observe<Source: ObservationSource>(
        _ source: Source?, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ source: Source, _ event: Source.Event) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .closure, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return core.observe(source, nil, nil, registration, make: { SubjectHandlerInfo(event: $0, handler) })
    }

    /// Observes a source as the form with a closure, and calls a method of the observer without arguments.
    ///
    /// ```swift
    /// observations.observe(doorbell, action: House.bark)
    /// ```
    ///
    /// The method is not bound to the observer, so nothing is retained.
    @inlinable
    @discardableResult
    public func observe<Source: ObservationSource>(
        _ source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> () -> Void, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return core.observe(
            source, topic, object, registration,
            make: { HandlerInfo<Observer, Source.Event>(event: $0) { observer, _ in action(observer)() } })
    }

    /// Observes a source as the form with a closure, and calls a method of the observer with the event.
    ///
    /// ```swift
    /// observations.observe(doorbell, action: House.bark(times:))
    /// ```
    @inlinable
    @discardableResult
    public func observe<Source: ObservationSource>(
        _ source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (Source.Event) -> Void, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return core.observe(
            source, topic, object, registration,
            make: { HandlerInfo<Observer, Source.Event>(event: $0) { observer, event in action(observer)(event) } })
    }

    /// Observes a source that is used on any thread: calls the handler with each event, where it says.
    ///
    /// ```swift
    /// observations.observe(player.finished, on: .mainActor { view, track in view.finished(track) })
    /// ```
    ///
    /// See ``ObservationHandler`` for the places, the order and the lifetimes. Everything else is as for the form with a closure.
    @discardableResult
    public func observe<Source: ObservationSource & Sendable>(
        _ source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, on handler: ObservationHandler<Observer, Source.Event>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            handler.place, of: core, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        return core.observe(source, topic, object, registration, make: { HandlerInfo(event: $0, handler.function) })
    }

    /// Observes a source whose events may not leave their thread: forms a value of each event there, and calls the handler with it, where it
    /// says.
    ///
    /// ```swift
    /// observations.observe(center, for: .saved, transform: { $0.userInfo["count"] as? Int }, on: .mainActor { view, count in view.count = count })
    /// ```
    ///
    /// The closure runs on the thread on which the source notifies. Everything else is as for the form with `on:` alone.
    @discardableResult
    public func observe<Source: ObservationSource & Sendable, Value>(
        _ source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil,
        transform: @escaping @Sendable (_ event: Source.Event) -> Value, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, on handler: ObservationHandler<Observer, Value>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        var registration = Registration(
            handler.place, of: core, options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
        guard registration.hops else {
            let function = handler.function
            return core.observe(
                source, topic, object, registration,
                make: { HandlerInfo<Observer, Source.Event>(event: $0) { observer, event in function(observer, transform(event)) } })
        }
        registration.read = { event in
            // SAFETY: it is asked of the events of the source that is observed.
            TypedEventBox(unsafe transform(event.assumingType(SourceEvent<Source.Event>.self).pointee.event))
        }
        return core.observe(
            source, topic, object, registration,
            make: { parts in
                parts.expect(Source.Event.self)
                return HandlerInfo(read: parts, handler.function)
            })
    }
}
