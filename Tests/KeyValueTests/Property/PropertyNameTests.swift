import SafeKVO
import Testing

/// Properties are named by where they are stored, without a look at what is stored there.
@MainActor @Suite struct PropertyNameTests {
    /// The last property ends where the object ends, in the middle of a word.
    final class Bytes: KeyValueObject {
        @AtomicObserved var shared = 1
        @Observed var first: UInt16 = 1
        @Observed var nothing: Void = ()
        @Observed var second: UInt8 = 1
        @Observed var last: UInt8 = 1

        func replaceShared() { _shared = AtomicObserved(wrappedValue: 2) }
    }
    final class ThreeBytes: KeyValueObject {
        @Observed var three: (UInt8, UInt8, UInt8) = (1, 2, 3)
    }
    final class OneByte: KeyValueObject {
        @AtomicObserved var shared: Void = ()
        @Observed var one: UInt8 = 1
    }
    final class NoBytes: KeyValueObject {
        @AtomicObserved var shared = "a"
        @Observed var none: Void = ()
    }
    final class Observer {}

    @Test("A property of 0, 1 or 3 bytes at the end of an object has its name, and so have those before it")
    func smallPropertiesHaveNames() {
        let (bytes, three, one, none, observer) = (Bytes(), ThreeBytes(), OneByte(), NoBytes(), Observer())
        let observations = ObservationController(observer: observer)
        observations.observe(bytes, \.shared) { _, _ in }
        observations.observe(bytes, \.first) { _, _ in }
        observations.observe(bytes, \.second) { _, _ in }
        observations.observe(bytes, \.last) { _, _ in }
        observations.observe(three, \.three) { _, _ in }
        observations.observe(one, \.one) { _, _ in }
        observations.observe(one, \.shared) { _, _ in }
        observations.observe(none, \.shared) { _, _ in }
        #expect(observations.observations.map(\.name) == ["shared", "first", "second", "last", "three", "one", "shared", "shared"])
    }

    @Test("A property whose wrapper was replaced keeps its name, and no property is read for it")
    func aReplacedWrapperKeepsItsName() {
        let (bytes, observer) = (Bytes(), Observer())
        let observations = ObservationController(observer: observer)
        observations.observe(bytes, \.shared) { _, _ in }
        bytes.replaceShared()
        #expect(observations.observations.map(\.name) == ["shared"])
    }
}
