extension MessageCenter {
    /// Observes messages of a type without a controller: calls the handler with each message.
    ///
    /// ```swift
    /// token = center.observation(for: CoverWanted.self) { message in … }
    /// ```
    ///
    /// Messages with names are observed by `observation(for:object:)`, as the events of any source are.
    ///
    /// - Parameters:
    ///   - type: Which messages.
    ///   - object: The object that they must have been posted with; nil for any and none. It is not retained.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called for each message, on the thread that posts. It must not capture what keeps the token.
    ///   - onTermination: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: the token, which ends the observation when it is cancelled or released. It does not retain the center.
    /// - Complexity: O(1), however many others observe.
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
