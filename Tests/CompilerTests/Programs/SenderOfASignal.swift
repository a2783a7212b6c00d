// error: cannot convert value of type 'View' to expected argument type 'NoSender'
import SafeKVO
import SafeKVOEvents
@MainActor final class View { var seen = 0 }
@MainActor func program(_ signal: Signal<Int>, _ view: View, _ observations: ObservationController<View>) {
    #if LEGAL
        observations.observe(signal) { view, value in view.seen += value }
    #else
        observations.observe(signal, object: view) { view, value in view.seen += value }
    #endif
}
