/// What only some observations have; kept apart so that the others stay small.
final class InfoExtras: Sendable {
    let tag: ObservationTag?
    let onEnd: (@Sendable (ObservationEndReason) -> Void)?

    init(tag: ObservationTag?, onEnd: (@Sendable (ObservationEndReason) -> Void)?) {
        self.tag = tag
        self.onEnd = onEnd
    }
}
