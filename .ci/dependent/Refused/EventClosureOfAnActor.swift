// error: call to actor-isolated instance method 'hear' in a synchronous nonisolated context
import SafeKVO
import SafeKVOEvents

extension OwnerListener {
    func eventClosureOfAnActor(_ signal: Signal<Int>, _ own: ObservationController<OwnerListener>) {
        #if LEGAL
            own.observe(signal, on: .observer { owner, number in owner.hear("\(number)") })
        #else
            own.observe(signal) { owner, number in owner.hear("\(number)") }
        #endif
    }
}
