// error: capture of 'plain' with non-Sendable type 'PlainListener' in a '@Sendable' closure
// SwiftFive: accepted
import SafeKVO

@MainActor func captureOfAFilter(_ number: ObservedValue<Int>, _ observations: ObservationController<MainListener>) {
    let (plain, shared) = (PlainListener(), SharedListener())
    #if LEGAL
        observations.observe(
            number, \.value,
            removing: .duplicates { old, new in
                shared.hear("\(old) \(new)")
                return old == new
            }, on: .mainActor { listener, number in listener.hear("\(number)") })
    #else
        observations.observe(
            number, \.value,
            removing: .duplicates { old, new in
                plain.hear("\(old) \(new)")
                return old == new
            }, on: .mainActor { listener, number in listener.hear("\(number)") })
    #endif
    withExtendedLifetime((plain, shared)) {}
}
