// error: sending 'tank' risks causing data races
import SafeKVO

final class Tank: KeyValueObject { @Observed var level = 0 }

actor Plant {
    var sum = 0

    func make() -> sending Tank {
        let (tank, observations) = (Tank(), ObservationController(observer: self))
        #if LEGAL
            let own = Tank()
        #else
            let own = tank
        #endif
        observations.onChange(of: own, \.level) { plant, old, new in plant.sum += new - old }
        return tank
    }
}
