public import Dispatch
public import SafeKVO

/// Handlers on a dispatch queue for what happens on any thread.
extension ObservationController where Observer: Sendable {
    /// Observes a source that is used on any thread: calls the handler on a queue.
    ///
    /// All is told one hop later, in order. When a removal has returned, what is still on its way is not told. What is on its way does not keep the
    /// observer alive.
    ///
    /// - Parameters:
    ///   - source: What to observe. Observing `nil` does nothing.
    ///   - queue: Where the handler runs, one call at a time, also if it is concurrent.
    ///   - tag: Keeps two observations apart.
    ///   - ifAlreadyObserved: What happens if this controller observes that under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the event.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    @discardableResult
    public func observe<Source: ObservationSource & Sendable>(
        _ source: Source?, on queue: DispatchQueue, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: Observer, _ event: Source.Event) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult where Source.Event: Sendable {
        let registration = Registration(
            options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: QueueTarget(queue),
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(source, elsewhere: registration, handler: handler)
    }

    /// Observes messages of a type that are posted on any thread: calls the handler on a queue.
    ///
    /// All is told one hop later, in order. When a removal has returned, what is still on its way is not told. What is on its way does not keep the
    /// observer alive.
    ///
    /// - Parameters:
    ///   - center: Where messages are posted. Observing `nil` does nothing.
    ///   - type: The type of the messages.
    ///   - object: Whose messages; all if it is nil.
    ///   - queue: Where the handler runs, one call at a time, also if it is concurrent.
    ///   - tag: Keeps two observations apart.
    ///   - ifAlreadyObserved: What happens if this controller observes that under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the message.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    @discardableResult
    public func observe<Observed: Message & Sendable>(
        _ center: MessageCenter?, _ type: Observed.Type, object: AnyObject? = nil, on queue: DispatchQueue, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: Observer, _ message: Observed) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: QueueTarget(queue),
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(center, type, object: object, elsewhere: registration, handler: handler)
    }
}
