public import Dispatch
public import Foundation
public import SafeKVO

/// Notifications of which something is read where they are posted, to be told elsewhere.
extension ObservationController where Observer: Sendable {
    /// Observes notifications that are posted on any thread: calls the handler on the main actor, with what was read from each.
    ///
    /// ```swift
    /// observations.observe(center, .albumDidChange, on: MainActor.self, reading: { $0.userInfo?["title"] as? String }) { view, title in
    ///     view.show(title)
    /// }
    /// ```
    ///
    /// A notification may carry anything, so it does not leave the thread that posts it: there `reading` takes out what the handler needs.
    /// What is posted on the main actor is told at once. All else hops, in order. When a removal has returned, what is still on its way is
    /// not told. What is on its way does not keep the observer alive.
    ///
    /// - Parameters:
    ///   - center: Where to observe. Observing `nil` does nothing.
    ///   - name: Which notifications; nil for every name.
    ///   - object: The object that they must have been posted with; nil for any and none. It is not retained.
    ///   - actor: `MainActor.self`.
    ///   - reading: Called where the notification is posted, while it is.
    ///   - tag: Keeps two observations of the same notifications apart.
    ///   - ifAlreadyObserved: What happens if this controller observes them under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and what was read.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    @discardableResult
    public func observe<Value: Sendable>(
        _ center: ObservableNotificationCenter?, _ name: Notification.Name?, object: AnyObject? = nil, on actor: MainActor.Type,
        reading: @escaping @Sendable (_ notification: Notification) -> Value,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @MainActor @Sendable (_ observer: Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: MainActorTarget.shared,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        // SAFETY: the target calls the handler where it belongs, and only there.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Value) -> Void).self)
        return observe(center, Self.subject(of: name), of: object, registration, reading: reading, handler: handler)
    }

    /// Observes notifications that are posted on any thread: calls the handler on a global actor, with what was read from each.
    ///
    /// ```swift
    /// observations.observe(center, .albumDidChange, on: Archive.self, reading: { $0.name }) { @Archive log, name in log.note(name) }
    /// ```
    ///
    /// A notification may carry anything, so it does not leave the thread that posts it: there `reading` takes out what the handler needs.
    /// All is told one hop later, in order. When a removal has returned, what is still on its way is not told. What is on its way does not
    /// keep the observer alive.
    ///
    /// - Parameters:
    ///   - center: Where to observe. Observing `nil` does nothing.
    ///   - name: Which notifications; nil for every name.
    ///   - object: The object that they must have been posted with; nil for any and none. It is not retained.
    ///   - actor: The global actor's type.
    ///   - reading: Called where the notification is posted, while it is.
    ///   - tag: Keeps two observations of the same notifications apart.
    ///   - ifAlreadyObserved: What happens if this controller observes them under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and what was read.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    @discardableResult
    public func observe<Value: Sendable, Isolation: GlobalActor>(
        _ center: ObservableNotificationCenter?, _ name: Notification.Name?, object: AnyObject? = nil, on actor: Isolation.Type,
        reading: @escaping @Sendable (_ notification: Notification) -> Value,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @isolated(any) @Sendable (_ observer: Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        guard let target = GlobalActorTarget.target(actor, of: handler.isolation) else {
            return .handlerOfAnotherIsolation(fileID, line)
        }
        let registration = Registration(
            options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: target,
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        // SAFETY: the target calls the handler where it belongs, and only there.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Value) -> Void).self)
        return observe(center, Self.subject(of: name), of: object, registration, reading: reading, handler: handler)
    }

    /// Observes notifications that are posted on any thread: calls the handler on a queue, with what was read from each.
    ///
    /// ```swift
    /// observations.observe(center, .albumDidChange, on: queue, reading: { $0.userInfo?["title"] as? String }) { view, title in
    ///     view.show(title)
    /// }
    /// ```
    ///
    /// A notification may carry anything, so it does not leave the thread that posts it: there `reading` takes out what the handler needs.
    /// All is told one hop later, in order. When a removal has returned, what is still on its way is not told. What is on its way does not
    /// keep the observer alive.
    ///
    /// - Parameters:
    ///   - center: Where to observe. Observing `nil` does nothing.
    ///   - name: Which notifications; nil for every name.
    ///   - object: The object that they must have been posted with; nil for any and none. It is not retained.
    ///   - queue: Where the handler runs, one call at a time, also if it is concurrent.
    ///   - reading: Called where the notification is posted, while it is.
    ///   - tag: Keeps two observations of the same notifications apart.
    ///   - ifAlreadyObserved: What happens if this controller observes them under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and what was read.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    @discardableResult
    public func observe<Value: Sendable>(
        _ center: ObservableNotificationCenter?, _ name: Notification.Name?, object: AnyObject? = nil, on queue: DispatchQueue,
        reading: @escaping @Sendable (_ notification: Notification) -> Value,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let registration = Registration(
            options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: QueueTarget(queue),
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        return observe(center, Self.subject(of: name), of: object, registration, reading: reading, handler: handler)
    }
}

extension ObservationController where Observer: Actor {
    /// Observes notifications that are posted on any thread: calls the handler inside the observer, with what was read from each.
    ///
    /// ```swift
    /// observations.observe(center, .albumDidChange, on: self, reading: { $0.userInfo?["title"] as? String }) { view, title in
    ///     view.show(title)
    /// }
    /// ```
    ///
    /// A notification may carry anything, so it does not leave the thread that posts it: there `reading` takes out what the handler needs.
    /// All is told one hop later, in order. When a removal has returned, what is still on its way is not told. What is on its way does not
    /// keep the observer alive.
    ///
    /// - Parameters:
    ///   - center: Where to observe. Observing `nil` does nothing.
    ///   - name: Which notifications; nil for every name.
    ///   - object: The object that they must have been posted with; nil for any and none. It is not retained.
    ///   - actor: The observer; another actor is refused.
    ///   - reading: Called where the notification is posted, while it is.
    ///   - tag: Keeps two observations of the same notifications apart.
    ///   - ifAlreadyObserved: What happens if this controller observes them under the tag already.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and what was read.
    ///   - onEnd: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    @discardableResult
    public func observe<Value: Sendable>(
        _ center: ObservableNotificationCenter?, _ name: Notification.Name?, object: AnyObject? = nil, on actor: Observer,
        reading: @escaping @Sendable (_ notification: Notification) -> Value,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: isolated Observer, _ value: Value) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        guard actor === observer else { return .handlerOfAnotherIsolation(fileID, line) }
        let registration = Registration(
            options: [], tag: tag, ifAlreadyObserved: ifAlreadyObserved, target: ObserverTarget(actor),
            position: SourcePosition(fileID: fileID, line: line), onEnd: onEnd)
        // SAFETY: the target calls the handler where it belongs, and only there.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Value) -> Void).self)
        return observe(center, Self.subject(of: name), of: object, registration, reading: reading, handler: handler)
    }
}
