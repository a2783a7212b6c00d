// error: main actor-isolated property 'observations' can not be referenced from a nonisolated context
import SafeKVO

@MainActor final class DeinitOfTheMainActor {
    private lazy var observations = ObservationController(observer: self)

    #if LEGAL
        isolated deinit { observations.unobserveAll() }
    #else
        deinit { observations.unobserveAll() }
    #endif
}
