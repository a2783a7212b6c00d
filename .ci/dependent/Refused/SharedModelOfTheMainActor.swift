// error: cannot form key path to main actor-isolated property 'percent'
// SwiftSix: accepted
// SwiftFive: accepted
import SafeKVO

#if LEGAL
    nonisolated final class SharedModelOfTheMainActor: KeyValueObservable, Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        let progress = ObservedValue(0.0)
        var percent: Int { Int(progress.value * 100) }
    }
#else
    final class SharedModelOfTheMainActor: KeyValueObservable, Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        let progress = ObservedValue(0.0)
        var percent: Int { Int(progress.value * 100) }
    }
#endif

extension OwnerListener {
    func percentOfASharedModel(_ model: SharedModelOfTheMainActor, _ own: ObservationController<OwnerListener>) {
        own.observe(model, \.percent) { owner, percent in owner.hear("\(percent)") }
    }
}
