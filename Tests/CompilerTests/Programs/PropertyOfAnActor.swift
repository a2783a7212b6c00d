// error: no exact matches in call to instance method 'observe'
import SafeKVO

final class Tank: KeyValueObject {
    @Observed var level = 0
}

actor Plant {
    let tank = Tank()
    var level = 0
    private lazy var observations = ObservationController(observer: self)

    func watch() {
        #if LEGAL
            observations.observe(tank, \.level) { plant, level in plant.level = level }
        #else
            observations.observe(self, \.level) { plant, level in plant.level = level }
        #endif
    }
}
