// error: type 'NamedMessage' does not conform to the 'Sendable' protocol
import SafeKVO
import SafeKVOEvents
@MainActor final class View { var seen = 0 }
func program(_ center: MessageCenter, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(center, for: "saved", transform: { $0.userInfo.count }, on: .mainActor { view, count in view.seen += count })
    #else
        observations.observe(center, for: "saved", on: .mainActor { view, message in view.seen += message.userInfo.count })
    #endif
}
