// error: type 'View' does not conform to the 'Sendable' protocol
import SafeKVO
import SafeKVOEvents

struct Saved: Message {}

#if LEGAL
    @MainActor
#endif
final class View {
    var total = 0
    private lazy var observations = ObservationController(observer: self)

    func count(_ center: MessageCenter) {
        observations.observe(center, for: Saved.self) { view, _ in view.total += 1 }
    }
}
