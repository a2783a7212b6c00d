import LifetimeModel
import SafeKVO

/// An object of a program: subject and observer at once.
final class LiveThing: KeyValueObject, AutomaticObserver {
    let observationSlot = ObservationSlot()
    private let id: Int
    private unowned let program: LiveProgram
    @Observed var value = 0
    @Observed var other = 0
    @Observed var next: LiveThing?
    var double: Int { value * 2 }

    init(_ id: Int, _ program: LiveProgram) {
        self.id = id
        self.program = program
    }

    deinit {
        program.model.died(id)
        // Nobody may hear of this.
        value = -1
        guard id.isMultiple(of: 4) else { return }
        // Perhaps the first use of the controllers.
        let refused = nonRetainingObservations.observe(self, \.value, options: .new) { _, _, _ in }
        if refused != .refused(.observedGone) { program.model.objects(to: "an object in its deinit was observed: \(refused)") }
        if let living = program.anyThing {
            let refused = observations.observe(living, \.double) { _, _ in }
            if refused != .refused(.observerGone) { program.model.objects(to: "an object in its deinit observes: \(refused)") }
        }
    }
}
