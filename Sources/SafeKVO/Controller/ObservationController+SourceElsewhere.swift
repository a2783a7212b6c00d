/// Handlers of other isolations than the one that sources come from, and sequences of them.
extension ObservationController {
    /// The events of a source, as a sequence.
    ///
    /// It observes from this call on, whether or not anybody takes the events yet. See ``ObservationSequence`` for its end.
    ///
    /// - Parameters:
    ///   - source: What to observe. The events of `nil` are none.
    ///   - buffering: What becomes of events that nobody takes in time. None is lost if it is not given.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    /// - Returns: the sequence.
    public func events<Source: ObservationSource>(
        of source: Source?, buffering: ObservationBuffering = .unbounded, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Source.Event> where Source.Event: Sendable {
        SequenceElements.sequence(buffering: buffering) { elements, handle in
            let registration = Registration(
                sequence: handle, options: [], position: SourcePosition(fileID: fileID, line: line), onEnd: { elements.finish() })
            return observe(source, registration) { _, _, event in elements.yield(event) }
        }
    }
}

extension ObservationController where Observer: Sendable {
    /// Observes a source that is used on any thread: calls the handler on the main actor.
    ///
    /// What happens on the main actor is told at once. All else hops, in order. When a removal has returned, what is still on its way is not told. What
    /// is on its way does not keep the observer alive.
    ///
    /// - Parameters:
    ///   - source: What to observe. Observing `nil` does nothing.
    ///   - actor: `MainActor.self`.
    ///   - tag: Keeps two observations apart.
    ///   - ifAlreadyObserved: What happens if this controller observes that under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the event.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    @discardableResult
    public func observe<Source: ObservationSource & Sendable>(
        _ source: Source?, on actor: MainActor.Type, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @MainActor @Sendable (_ observer: Observer, _ event: Source.Event) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult where Source.Event: Sendable {
        let registration = Registration(
            options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: MainActorTarget.shared,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        // SAFETY: the target calls the handler where it belongs, and only there.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Source.Event) -> Void).self)
        return observe(source, registration) { observer, _, event in handler(observer, event) }
    }

    /// Observes a source that is used on any thread: calls the handler on a global actor.
    ///
    /// All is told one hop later, in order. When a removal has returned, what is still on its way is not told. What is on its way does not keep the
    /// observer alive.
    ///
    /// - Parameters:
    ///   - source: What to observe. Observing `nil` does nothing.
    ///   - actor: The global actor's type.
    ///   - tag: Keeps two observations apart.
    ///   - ifAlreadyObserved: What happens if this controller observes that under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the event.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    @discardableResult
    public func observe<Source: ObservationSource & Sendable, Isolation: GlobalActor>(
        _ source: Source?, on actor: Isolation.Type, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @isolated(any) @Sendable (_ observer: Observer, _ event: Source.Event) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult where Source.Event: Sendable {
        guard let target = GlobalActorTarget.target(actor, of: handler.isolation) else {
            return .handlerOfAnotherIsolation(fileID, line)
        }
        let registration = Registration(
            options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: target,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        // SAFETY: the target calls the handler where it belongs, and only there.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Source.Event) -> Void).self)
        return observe(source, registration) { observer, _, event in handler(observer, event) }
    }

    /// What forms of other modules come to whose handlers are called elsewhere.
    ///
    /// - Parameters:
    ///   - source: What to observe.
    ///   - registration: What else the caller said, and where the handler is called.
    ///   - handler: Called there, and only there.
    /// - Returns: what came of it.
    package func observe<Source: ObservationSource & Sendable>(
        _ source: Source?, elsewhere registration: Registration, handler: @escaping (_ observer: Observer, _ event: Source.Event) -> Void
    ) -> ObservationResult where Source.Event: Sendable {
        observe(source, registration) { observer, _, event in handler(observer, event) }
    }
}

extension ObservationController where Observer: Actor {
    /// Observes a source that is used on any thread: calls the handler inside the observer.
    ///
    /// All is told one hop later, in order. When a removal has returned, what is still on its way is not told. What is on its way does not keep the
    /// observer alive.
    ///
    /// - Parameters:
    ///   - source: What to observe. Observing `nil` does nothing.
    ///   - actor: The observer; another actor is refused.
    ///   - tag: Keeps two observations apart.
    ///   - ifAlreadyObserved: What happens if this controller observes that under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the event.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    @discardableResult
    public func observe<Source: ObservationSource & Sendable>(
        _ source: Source?, on actor: Observer, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: isolated Observer, _ event: Source.Event) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult where Source.Event: Sendable {
        guard actor === observer else { return .handlerOfAnotherIsolation(fileID, line) }
        let registration = Registration(
            options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: ObserverTarget(actor),
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        // SAFETY: the target calls the handler where it belongs, and only there.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Source.Event) -> Void).self)
        return observe(source, registration) { observer, _, event in handler(observer, event) }
    }
}
