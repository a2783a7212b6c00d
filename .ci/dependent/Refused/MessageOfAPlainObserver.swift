// error: type 'PlainListener' does not conform to the 'Sendable' protocol
// SwiftFive: accepted
import SafeKVO
import SafeKVOEvents

nonisolated func messageOfAPlainObserver(
    _ center: MessageCenter, _ observations: ObservationController<PlainListener>, _ shared: ObservationController<SharedListener>
) {
    #if LEGAL
        shared.observe(center, for: CoverWanted.self) { listener, message in listener.hear(message.title) }
    #else
        observations.observe(center, for: CoverWanted.self) { listener, message in listener.hear(message.title) }
    #endif
}
