// error: type 'View' does not conform to the 'Sendable' protocol
import SafeKVO
import SafeKVOEvents

#if LEGAL
    @MainActor
#endif
final class View {
    var total = 0
    private lazy var observations = ObservationController(observer: self)

    func add(_ signal: Signal<Int>) {
        observations.observe(signal) { view, number in view.total += number }
    }
}
