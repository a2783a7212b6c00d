/// Handlers of other isolations than the one that messages come from, and sequences of them.
extension ObservationController {
    /// The messages of a type that are posted, as a sequence.
    ///
    /// ```swift
    /// for await saved in observations.messages(Saved.self, from: center) { … }
    /// ```
    ///
    /// It observes from this call on, whether or not anybody takes the messages yet. See ``ObservationSequence`` for its end.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - center: Where they are posted. The messages from `nil` are none.
    ///   - object: Whose messages; all if it is nil.
    ///   - buffering: What becomes of messages that nobody takes in time. None is lost if it is not given.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    /// - Returns: the sequence.
    public func messages<Observed: Message & Sendable>(
        _ type: Observed.Type, from center: MessageCenter?, object: AnyObject? = nil, buffering: ObservationBuffering = .unbounded,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationSequence<Observed> {
        SequenceElements.sequence(buffering: buffering) { elements, handle in
            let registration = Registration(
                sequence: handle, options: [], position: SourcePosition(fileID: fileID, line: line), onEnd: { elements.finish() })
            return observe(center, type: ObjectIdentifier(type), of: object, registration) { (_, message: Observed) in
                elements.yield(message)
            }
        }
    }
}

extension ObservationController where Observer: Sendable {
    /// Observes messages of a type that are posted on any thread: calls the handler on the main actor.
    ///
    /// What happens on the main actor is told at once. All else hops, in order. When a removal has returned, what is still on its way is not told. What
    /// is on its way does not keep the observer alive.
    ///
    /// - Parameters:
    ///   - center: Where messages are posted. Observing `nil` does nothing.
    ///   - type: The type of the messages.
    ///   - object: Whose messages; all if it is nil.
    ///   - actor: `MainActor.self`.
    ///   - tag: Keeps two observations apart.
    ///   - ifAlreadyObserved: What happens if this controller observes that under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the message.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    @discardableResult
    public func observe<Observed: Message & Sendable>(
        _ center: MessageCenter?, _ type: Observed.Type, object: AnyObject? = nil, on actor: MainActor.Type, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @MainActor @Sendable (_ observer: Observer, _ message: Observed) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: MainActorTarget.shared,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        // SAFETY: the target calls the handler where it belongs, and only there.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Observed) -> Void).self)
        return observe(center, type: ObjectIdentifier(type), of: object, registration, handler: handler)
    }

    /// Observes messages of a type that are posted on any thread: calls the handler on a global actor.
    ///
    /// All is told one hop later, in order. When a removal has returned, what is still on its way is not told. What is on its way does not keep the
    /// observer alive.
    ///
    /// - Parameters:
    ///   - center: Where messages are posted. Observing `nil` does nothing.
    ///   - type: The type of the messages.
    ///   - object: Whose messages; all if it is nil.
    ///   - actor: The global actor's type.
    ///   - tag: Keeps two observations apart.
    ///   - ifAlreadyObserved: What happens if this controller observes that under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the message.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    @discardableResult
    public func observe<Observed: Message & Sendable, Isolation: GlobalActor>(
        _ center: MessageCenter?, _ type: Observed.Type, object: AnyObject? = nil, on actor: Isolation.Type, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @isolated(any) @Sendable (_ observer: Observer, _ message: Observed) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        guard let target = GlobalActorTarget.target(actor, of: handler.isolation) else {
            return .handlerOfAnotherIsolation(fileID, line)
        }
        let registration = Registration(
            options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: target,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        // SAFETY: the target calls the handler where it belongs, and only there.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Observed) -> Void).self)
        return observe(center, type: ObjectIdentifier(type), of: object, registration, handler: handler)
    }

    /// What forms of other modules come to whose handlers are called elsewhere.
    ///
    /// - Parameters:
    ///   - center: Where messages are posted.
    ///   - type: The type of the messages.
    ///   - object: Whose messages.
    ///   - registration: What else the caller said, and where the handler is called.
    ///   - handler: Called there, and only there.
    /// - Returns: what came of it.
    package func observe<Observed: Message & Sendable>(
        _ center: MessageCenter?, _ type: Observed.Type, object: AnyObject?, elsewhere registration: Registration,
        handler: @escaping (_ observer: Observer, _ message: Observed) -> Void
    ) -> ObservationResult {
        observe(center, type: ObjectIdentifier(type), of: object, registration, handler: handler)
    }
}

extension ObservationController where Observer: Actor {
    /// Observes messages of a type that are posted on any thread: calls the handler inside the observer.
    ///
    /// All is told one hop later, in order. When a removal has returned, what is still on its way is not told. What is on its way does not keep the
    /// observer alive.
    ///
    /// - Parameters:
    ///   - center: Where messages are posted. Observing `nil` does nothing.
    ///   - type: The type of the messages.
    ///   - object: Whose messages; all if it is nil.
    ///   - actor: The observer; another actor is refused.
    ///   - tag: Keeps two observations apart.
    ///   - ifAlreadyObserved: What happens if this controller observes that under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the message.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    @discardableResult
    public func observe<Observed: Message & Sendable>(
        _ center: MessageCenter?, _ type: Observed.Type, object: AnyObject? = nil, on actor: Observer, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: isolated Observer, _ message: Observed) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        guard actor === observer else { return .handlerOfAnotherIsolation(fileID, line) }
        let registration = Registration(
            options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: ObserverTarget(actor),
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        // SAFETY: the target calls the handler where it belongs, and only there.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Observed) -> Void).self)
        return observe(center, type: ObjectIdentifier(type), of: object, registration, handler: handler)
    }
}
