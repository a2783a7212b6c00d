// error: type 'PlainListener' does not conform to the 'Sendable' protocol
// SwiftFive: accepted
import SafeKVO
import SafeKVOEvents

nonisolated func nameOfAPlainObserver(
    _ center: MessageCenter, _ observations: ObservationController<PlainListener>, _ shared: ObservationController<SharedListener>
) {
    #if LEGAL
        shared.observe(center, for: .saved) { listener, message in listener.hear(message.name.rawValue) }
    #else
        observations.observe(center, for: .saved) { listener, message in listener.hear(message.name.rawValue) }
    #endif
}
