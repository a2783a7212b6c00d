// error: sending 'observations' risks causing data races
import SafeKVO
import SafeKVOEvents

@MainActor final class Panel {
    var track = 0
}

@MainActor func follow(_ signal: Signal<Int>, for panel: Panel) -> sending ObservationController<Panel> {
    let observations = ObservationController(observer: panel)
    #if LEGAL
        observations.observe(signal, on: .mainActor { panel, track in panel.track = track })
    #else
        observations.observe(signal) { panel, track in panel.track = track }
    #endif
    return observations
}
