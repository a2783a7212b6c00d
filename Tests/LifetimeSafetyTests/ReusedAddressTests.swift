import Foundation
import SafeKVO
import SafeKVOTesting
import Testing

/// Rule 32: a new object at the address of a dead one is a new object.
@Suite struct ReusedAddressTests {
    /// Not with AddressSanitizer, which holds freed memory back for a long time.
    // SAFETY: the handle of nil stands for the whole program, and the symbol is not used.
    static let addressesAreReused = unsafe dlsym(nil, "__asan_init") == nil

    @Test("A new subject at an old address is not observed", arguments: [true, false])
    func aNewSubjectAtAnOldAddressIsNotObserved(derived: Bool) {
        let observer = Viewer()
        var addresses: Set<ObjectIdentifier> = []
        var heard: [Int] = []
        for round in 0..<5000 {
            let lamp = Lamp()
            addresses.insert(ObjectIdentifier(lamp))
            // What observed the last one must not hear this one.
            lamp.brightness = -1
            let result = observer.notRetaining.observe(lamp, derived ? \.percent : \.brightness, options: .new) { _, object, change in
                heard.append(object === lamp ? change.newValue ?? -2 : -3)
            }
            if result != .added { Issue.record("round \(round): \(result)") }
            heard = []
            // The handler keeps the lamp; it goes with this.
            lamp.brightness = round
            if heard != [round] { Issue.record("round \(round) heard \(heard)") }
            observer.notRetaining.unobserve(lamp)
        }
        // Otherwise this has tested nothing.
        #expect(addresses.count < 5000 || !Self.addressesAreReused)
    }

    @Test("A subject that dies observed leaves nothing behind for the next one at its address", arguments: [true, false])
    func aSubjectThatDiesObservedLeavesNothing(derived: Bool) {
        let observers = (0..<3).map { _ in Viewer() }
        var addresses: Set<ObjectIdentifier> = []
        let log = EventLog<Int>()
        for round in 0..<5000 {
            let lamp = Lamp()
            addresses.insert(ObjectIdentifier(lamp))
            lamp.brightness = -1
            if !log.events.isEmpty { Issue.record("round \(round): misdelivered \(log.removeAll())") }
            let observer = observers[round % 3]
            if observer.notRetaining.unobserve(lamp) != 0 { Issue.record("round \(round): observed by a stranger") }
            observer.notRetaining.observe(lamp, derived ? \.percent : \.brightness, options: .new) { _, _, change in
                log.append(change.newValue ?? -2)
            }
            lamp.brightness = round
            if log.removeAll() != [round] { Issue.record("round \(round): not delivered") }
        }
        #expect(addresses.count < 5000 || !Self.addressesAreReused)
        #expect(observers.map { $0.notRetaining.unobserveAll() } == [0, 0, 0])
    }

    /// A controller may keep the memory of its observer: then there is no such address as long as there is a controller that knew the old one.
    @Test("A new observer at an old address is not called", arguments: [true, false])
    func aNewObserverAtAnOldAddressIsNotCalled(controllersStay: Bool) {
        let lamp = Lamp()
        var addresses: Set<ObjectIdentifier> = []
        var controllers: [ObservationController<SharedViewer>] = []
        var calls = 0
        for _ in 0..<2000 {
            let observer = SharedViewer()
            addresses.insert(ObjectIdentifier(observer))
            let observations = ObservationController(observer: observer)
            observations.observe(lamp, \.brightness, options: .new) { _, _, _ in calls += 1 }
            if controllersStay { controllers.append(observations) }
        }
        let survivor = SharedViewer()
        #expect(controllersStay || addresses.count < 2000 || !Self.addressesAreReused)
        #if !canImport(ObjectiveC) && !SAFEKVO_WEAK_OBSERVERS
            // The memory is what their controllers ask whether they live.
            #expect(!controllersStay || addresses.count == 2000)
        #endif
        lamp.brightness = 1
        #expect(calls == 0)
        #expect(controllers.reduce(0) { $0 + $1.counters.dropped } == controllers.count)
        #expect(controllers.reduce(0) { $0 + $1.unobserveAll() } == 0)
        withExtendedLifetime(survivor) {}
    }

    @Test("An object that observes itself may be a reused address too")
    func selfObservationAtReusedAddresses() {
        final class Mirror: KeyValueObject, AutomaticObserver {
            let observationSlot = ObservationSlot()
            @Observed var value = 0
            var calls = 0
        }
        var addresses: Set<ObjectIdentifier> = []
        for round in 0..<5000 {
            let mirror = Mirror()
            addresses.insert(ObjectIdentifier(mirror))
            mirror.observations.observe(mirror, \.value, options: .new) { mirror, _, _ in mirror.calls += 1 }
            mirror.value = round
            if mirror.calls != 1 { Issue.record("round \(round): \(mirror.calls) calls") }
        }
        #expect(addresses.count < 5000 || !Self.addressesAreReused)
    }
}
