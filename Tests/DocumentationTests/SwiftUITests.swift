import Observation
import SafeKVO
import SafeKVOTesting
import Synchronization
import Testing

/// The examples of the article on models, of views.
@Suite struct SwiftUITests {
    final class WallClock: KeyValueObject {
        @Observed var hour = 0
    }

    // snippet: view-model
    @MainActor @Observable final class ClockModel {
        private(set) var hour = 0
        @ObservationIgnored
        private lazy var observations = ObservationController(observer: self)

        func show(_ clock: WallClock) {
            observations.unobserveAll()
            observations.observe(clock, \.hour) { model, hour in
                if model.hour != hour { model.hour = hour }  // else no refresh
            }
        }
    }
    // end snippet

    @Test("Article on models: a change of an observed property refreshes what reads the model")
    @MainActor func aModelRefreshes() {
        let (clock, model) = (WallClock(), ClockModel())
        model.show(clock)
        let refreshes = Atomic(0)
        func render() -> Int {
            withObservationTracking {
                model.hour
            } onChange: {
                refreshes.wrappingAdd(1, ordering: .relaxed)
            }
        }
        #expect(render() == 0)
        clock.hour = 5
        #expect(refreshes.load(ordering: .relaxed) == 1)
        #expect(render() == 5)
        clock.hour = 5
        #expect(refreshes.load(ordering: .relaxed) == 1)
    }

    @Test("Article on models: an observed property alone refreshes nothing")
    @MainActor func anObservedPropertyDoesNot() {
        let clock = WallClock()
        let refreshes = Atomic(0)
        _ = withObservationTracking {
            clock.hour
        } onChange: {
            refreshes.wrappingAdd(1, ordering: .relaxed)
        }
        clock.hour = 5
        #expect(refreshes.load(ordering: .relaxed) == 0)
    }
}
