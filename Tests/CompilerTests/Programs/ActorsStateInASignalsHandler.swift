// error: actor-isolated property 'total' can not be mutated from a Sendable closure
import SafeKVO
import SafeKVOEvents

actor Station {
    var total = 0
    private lazy var observations = ObservationController(observer: self)

    func add(_ signal: Signal<Int>) {
        #if LEGAL
            observations.observe(signal, on: .observer { station, number in station.total += number })
        #else
            observations.observe(signal) { station, number in station.total += number }
        #endif
    }
}
