// error: sending 'tank' risks causing data races
import SafeKVO

final class Tank: KeyValueObject { @Observed var level = 0 }

actor Plant {
    var levels: [Int] = []

    func make() -> sending Tank {
        let (tank, observations) = (Tank(), ObservationController(observer: self))
        #if LEGAL
            let own = Tank()
        #else
            let own = tank
        #endif
        observations.observe(own, \.level, options: .new) { plant, _, change in plant.levels.append(change.newValue ?? 0) }
        return tank
    }
}
