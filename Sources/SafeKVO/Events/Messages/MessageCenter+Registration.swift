extension MessageCenter {
    /// Observes messages with names without a controller.
    ///
    /// ```swift
    /// registration = center.observe(.albumDidChange) { message in … }
    /// ```
    ///
    /// - Parameters:
    ///   - name: Which messages; nil for every name.
    ///   - object: The object that they must have been posted with; nil for any and none. It is not retained.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called for each message, on the thread that posts. It must not capture what keeps the registration.
    /// - Returns: the registration. The observation ends when it goes.
    public final func observe(
        _ name: MessageName?, object: AnyObject? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ message: NamedMessage) -> Void
    ) -> MessageRegistration {
        let registration = Registration(
            kind: .closure, options: [], tag: nil, ifAlreadyObserved: .ignore, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: nil)
        return MessageRegistration {
            _ = $0.core.observe(
                self, name, object, registration,
                make: { HandlerInfo<MessageRegistration, NamedMessage>(event: $0) { _, message in handler(message) } })
        }
    }

    /// Observes messages of a type without a controller.
    ///
    /// ```swift
    /// registration = center.observe(CoverWanted.self) { message in … }
    /// ```
    ///
    /// - Parameters:
    ///   - type: Which messages.
    ///   - object: The object that they must have been posted with; nil for any and none. It is not retained.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called for each message, on the thread that posts. It must not capture what keeps the registration.
    /// - Returns: the registration. The observation ends when it goes.
    public final func observe<Content: Message>(
        _ type: Content.Type, object: AnyObject? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ message: Content) -> Void
    ) -> MessageRegistration {
        let registration = Registration(
            kind: .closure, options: [], tag: nil, ifAlreadyObserved: .ignore, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: nil)
        return MessageRegistration {
            _ = $0.core.observe(
                self, type: ObjectIdentifier(type), of: object, registration,
                make: { HandlerInfo<MessageRegistration, Content>(event: $0) { _, message in handler(message) } })
        }
    }
}

/// An observation by code that has no controller: it lasts as long as this is kept, or until it is cancelled.
///
/// It is an observer like any other, with a controller of its own. It does not keep the centre.
public final class MessageRegistration {
    private var observations: ObservationController<MessageRegistration>?

    init(_ register: (ObservationController<MessageRegistration>) -> Void) {
        let observations = ObservationController(observer: self, retainsObserved: false)
        self.observations = observations
        register(observations)
    }

    /// Ends the observation.
    ///
    /// When it returns, no new call starts. Cancelling again does nothing.
    public func cancel() {
        observations?.invalidate()
    }
}
