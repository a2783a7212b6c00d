extension MessageCenter {
    /// Observes messages of a type without a controller, and calls a handler with each message.
    ///
    /// ```swift
    /// token = center.observation(for: CoverWanted.self) { message in … }
    /// ```
    ///
    /// To observe messages with names, use `observation(for:object:)`, which every source of events has.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - object: The object with which the messages are posted. If it is `nil`, messages with any object or none are observed. It is not
    ///     retained.
    ///   - handler: Called with each message, on the thread that posts it. It must not capture an object that retains the token.
    ///   - onTermination: Called once, after the last call of the handler, with the reason for the end of the observation.
    /// - Returns: the token, which ends the observation when it is cancelled or deallocated. It does not retain the center.
    /// - Complexity: O(1), whatever the number of other observers.
    public final func observation<Content: Message>(
        for type: Content.Type, object: AnyObject? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, handler: @escaping (_ message: Content) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationToken {
        ObservationToken {
            $0.observe(
                self, for: type, object: object, isolation: isolation, fileID: fileID, line: line,
                handler: { _, message in handler(message) }, onTermination: onTermination)
        }
    }
}
