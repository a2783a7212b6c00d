/// What only some observations have; kept apart so that the others stay small.
final class InfoExtras: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `onEnd` is taken out once, by whoever disposes of the info; nobody else reads it.

    let tag: ObservationTag?
    private var onEnd: (@Sendable (ObservationEndReason) -> Void)?

    init(tag: ObservationTag?, onEnd: (@Sendable (ObservationEndReason) -> Void)?) {
        self.tag = tag
        self.onEnd = onEnd
    }

    /// Takes out what is to be called at the end, so that its captures go with the call.
    func takeOnEnd() -> (@Sendable (ObservationEndReason) -> Void)? {
        defer { onEnd = nil }
        return onEnd
    }
}
