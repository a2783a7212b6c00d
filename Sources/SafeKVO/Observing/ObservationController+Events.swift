extension ObservationController {
    /// Calls a closure with each event of a source.
    ///
    /// ```swift
    /// observations.observe(player.finished) { view, track in
    ///     view.finished(track)
    /// }
    /// observations.observe(center, for: .albumDidChange, object: album) {
    ///     view, message in
    ///     view.reload()
    /// }
    /// ```
    ///
    /// The handler runs on the thread on which the source notifies. Observers are called in the order in which they registered, even if
    /// their topics differ. If code on an actor calls `observe`, the handler runs on that actor only. An event that is sent outside the
    /// actor is not delivered; the library counts and reports it. A ``SharedObservationSource``, on which any thread may notify, has an
    /// overload of its own.
    ///
    /// The controller retains the source until the observation ends, unless the controller was made with `retainsObserved: false`. The
    /// controller never retains the observer.
    ///
    /// - Parameters:
    ///   - source: The source to observe. If it is `nil`, nothing is registered.
    ///   - topic: The topic of the wanted events; `nil` for all topics. Most sources have no topics and accept only `nil`.
    ///   - object: The object that the wanted events are about; `nil` for all events. It is not retained.
    ///   - tag: A tag that tells apart two observations of the same events.
    ///   - ifAlreadyObserved: The action if the controller already has an observation of these events with this tag.
    ///   - handler: A closure that takes the observer and the event.
    ///   - onTermination: Called once, after the last call of the handler, with the reason why the observation ended.
    /// - Returns: A result that says whether the observation was added.
    /// - Complexity: O(1), regardless of the number of other observers.
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Source: ObservationSource>(
        _ source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ event: Source.Event) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.closure, [], tag, ifAlreadyObserved, isolation, fileID, line, onTermination)
        return core.observe(source, topic, object, registration, make: { HandlerInfo(event: $0, handler) })
    }

    /// Calls a closure with each event of a source and with the source itself.
    ///
    /// ```swift
    /// observations.observe(doorbell) { house, doorbell, times in
    ///     doorbell.mute()
    /// }
    /// ```
    ///
    /// The handler runs on the thread on which the source notifies. Otherwise this overload works like the one whose closure
    /// takes the observer and the event.
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Source: ObservationSource>(
        _ source: Source?, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ source: Source, _ event: Source.Event) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.closure, [], tag, ifAlreadyObserved, isolation, fileID, line, onTermination)
        return core.observe(source, nil, nil, registration, make: { SubjectHandlerInfo(event: $0, handler) })
    }

    /// Calls a method of the observer, without arguments, for each event of a source.
    ///
    /// ```swift
    /// observations.observe(doorbell, action: House.bark)
    /// ```
    ///
    /// A method that is named through its class, as here, retains nothing. It runs on the thread on which the source notifies. For a
    /// ``SharedObservationSource``, call this function on an actor, which must be the method's. Otherwise the registration is refused. In all
    /// else this overload works like the one that takes a closure.
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Source: ObservationSource>(
        _ source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> () -> Void, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.action, [], tag, ifAlreadyObserved, isolation, fileID, line, onTermination)
        return core.observe(
            source, topic, object, registration,
            make: { HandlerInfo<Observer, Source.Event>(event: $0) { observer, _ in action(observer)() } })
    }

    /// Calls a method of the observer with each event of a source.
    ///
    /// ```swift
    /// observations.observe(doorbell, action: House.bark(times:))
    /// ```
    ///
    /// A method that is named through its class, as here, retains nothing. It runs on the thread on which the source notifies. For a
    /// ``SharedObservationSource``, call this function on an actor, which must be the method's. Otherwise the registration is refused. In all
    /// else this overload works like the one that takes a closure.
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Source: ObservationSource>(
        _ source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (Source.Event) -> Void, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(.action, [], tag, ifAlreadyObserved, isolation, fileID, line, onTermination)
        return core.observe(
            source, topic, object, registration,
            make: { HandlerInfo<Observer, Source.Event>(event: $0) { observer, event in action(observer)(event) } })
    }
}

extension ObservationController where Observer: Sendable {
    /// Calls a closure with each event of a source on which any thread may notify.
    ///
    /// ```swift
    /// observations.observe(player.finished) { view, track in
    ///     view.finished(track)
    /// }
    /// observations.observe(center, for: .albumDidChange, object: album) {
    ///     view, message in
    ///     view.reload()
    /// }
    /// ```
    ///
    /// A closure that is isolated to an actor, as one in a class of the main actor is, runs on that actor only. Register it on that actor;
    /// anywhere else the registration is refused. An event that is sent outside the actor is not delivered; the library counts and reports
    /// it. To get every event, use the overload with `on:`. Any other closure runs on the thread on which the source notifies, so it may
    /// capture only what is `Sendable`.
    ///
    /// Observers are called in the order in which they registered, even if their topics differ. The controller retains the source until the
    /// observation ends, unless the controller was made with `retainsObserved: false`. The controller never retains the observer.
    ///
    /// - Parameters:
    ///   - source: The source to observe. If it is `nil`, nothing is registered.
    ///   - topic: The topic of the wanted events; `nil` for all topics. Most sources have no topics and accept only `nil`.
    ///   - object: The object that the wanted events are about; `nil` for all events. It is not retained.
    ///   - tag: A tag that tells apart two observations of the same events.
    ///   - ifAlreadyObserved: The action if the controller already has an observation of these events with this tag.
    ///   - handler: A closure that takes the observer and the event.
    ///   - onTermination: Called once, after the last call of the handler, with the reason why the observation ended.
    /// - Returns: A result that says whether the observation was added.
    /// - Complexity: O(1), regardless of the number of other observers.
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Source: SharedObservationSource>(
        _ source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext handler: @escaping @Sendable @isolated(any) (_ observer: Observer, _ event: Source.Event) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(of: handler.isolation, in: isolation, tag, ifAlreadyObserved, fileID, line, onTermination)
        // SAFETY: The cast drops only `@Sendable` and the isolation, and the library calls the closure in that isolation.
        let function = unsafe unsafeBitCast(handler, to: ((Observer, Source.Event) -> Void).self)
        return core.observe(source, topic, object, registration, make: { HandlerInfo(event: $0, function) })
    }

    /// Calls a closure with each event of a source on which any thread may notify, and with the source itself.
    ///
    /// Otherwise this overload works like the one whose closure takes the observer and the event.
    @_alwaysEmitIntoClient
    @discardableResult
    public func observe<Source: SharedObservationSource>(
        _ source: Source?, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext handler:
            @escaping @Sendable @isolated(any) (
                _ observer: Observer, _ source: Source, _ event: Source.Event
            ) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(of: handler.isolation, in: isolation, tag, ifAlreadyObserved, fileID, line, onTermination)
        // SAFETY: The cast drops only `@Sendable` and the isolation, and the library calls the closure in that isolation.
        let function = unsafe unsafeBitCast(handler, to: ((Observer, Source, Source.Event) -> Void).self)
        return core.observe(source, nil, nil, registration, make: { SubjectHandlerInfo(event: $0, function) })
    }
}

extension ObservationControllerBase {
    /// Calls a handler with each event of a source, in the isolation that the handler names.
    ///
    /// ```swift
    /// observations.observe(
    ///     player.finished,
    ///     on: .mainActor { view, track in view.finished(track) })
    /// ```
    ///
    /// Any thread may use the source. An event from another isolation is delivered later, in the handler's isolation, here the
    /// main actor. See ``ObservationHandler`` for isolations, order and lifetime. Otherwise this overload works like the one that takes a
    /// closure.
    @discardableResult
    @_alwaysEmitIntoClient
    public func observe<Source: ObservationSource & Sendable>(
        _ source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, on handler: ObservationHandler<Observer, Source.Event>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(handler.place, core, [], tag, ifAlreadyObserved, fileID, line, onTermination)
        return core.observe(source, topic, object, registration, make: { HandlerInfo(event: $0, handler.function) })
    }

    /// Converts each event of a source to a value, and calls a handler with the value, in the isolation that the handler names.
    ///
    /// ```swift
    /// observations.observe(
    ///     center, for: .saved, transform: { $0.userInfo["count"] as? Int },
    ///     on: .mainActor { view, count in view.count = count })
    /// ```
    ///
    /// Use it for events that are not `Sendable`: such an event must stay on its thread. The transform runs on the thread on
    /// which the source notifies. Only the transform's result is sent to the handler's isolation. Otherwise this overload works
    /// like the one with `on:` and without a transform.
    @discardableResult
    @_alwaysEmitIntoClient
    public func observe<Source: ObservationSource & Sendable, Value>(
        _ source: Source?, for topic: Source.Topic = nil, object: Source.Sender = nil,
        transform: @escaping @Sendable (_ event: Source.Event) -> Value, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, on handler: ObservationHandler<Observer, Value>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        var registration = Registration(handler.place, core, [], tag, ifAlreadyObserved, fileID, line, onTermination)
        guard registration.transfers else {
            let function = handler.function
            return core.observe(
                source, topic, object, registration,
                make: { HandlerInfo<Observer, Source.Event>(event: $0) { observer, event in function(observer, transform(event)) } })
        }
        registration.read = { event in
            // SAFETY: The closure gets only events of the observed source, whose type is `SourceEvent<Source.Event>`.
            TypedEventBox(transform(unsafe event.view(as: SourceEvent<Source.Event>.self).pointee.event))
        }
        return core.observe(
            source, topic, object, registration,
            make: { parts in
                parts.expect(Source.Event.self)
                return HandlerInfo(read: parts, handler.function)
            })
    }
}
