import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Later objects of a class whose key path has been registered before: all that holds for the first object holds for them.
@Suite struct KnownPropertyTests {
    class Gauge: KeyValueObject {
        @Observed var level = 0
        @Observed var silent = 0
        @Observed var scaled = 0
        @Observed final var scale = 1
        @AtomicObserved var shared = 0

        override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { key != \Gauge.silent }
        override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            key == \Gauge.scaled ? [\Gauge.scale] : []
        }
    }

    final class DoubledGauge: Gauge {
        override var level: Int {
            get { super.level * 2 }
            set { super.level = newValue }
        }
    }

    final class PlainGauge: Gauge {}

    final class Observer {}

    let observer = Observer()
    let log = EventLog<String>()
    let observations: ObservationController<Observer>

    init() { observations = ObservationController(observer: observer) }

    /// Registers by one key path, the same object for every gauge.
    private func watch(_ gauge: Gauge, _ keyPath: KeyPath<Gauge, Int>, as name: String) {
        observations.observe(gauge, keyPath, options: [.initial, .new]) { [log] _, _, change in
            log.append("\(name) \(change.newValue ?? -1)")
        }
    }

    @Test("Rules 1, 4: each object of a class is observed as the first one is") func laterObjects() throws {
        let gauges = (0..<4).map { _ in Gauge() }
        for (index, gauge) in gauges.enumerated() { watch(gauge, \.level, as: "\(index)") }
        for (index, gauge) in gauges.enumerated() { gauge.level = index + 1 }
        try log.expect(["0 0", "1 0", "2 0", "3 0", "0 1", "1 2", "2 3", "3 4"])
        #expect(gauges.allSatisfy { observations.unobserve($0, \.level) == 1 })
    }

    @Test("Rule 20b: a key path that names a property of one class may name another one of its subclass") func subclasses() throws {
        let keyPath = \Gauge.level
        for (name, gauge) in [
            ("plain", Gauge()), ("doubled", DoubledGauge()), ("inherited", PlainGauge()), ("doubled too", DoubledGauge()),
        ] {
            watch(gauge, keyPath, as: name)
            gauge.level = 3
        }
        try log.expect([
            "plain 0", "plain 3", "doubled 0", "doubled 6", "inherited 0", "inherited 3", "doubled too 0", "doubled too 6",
        ])
    }

    @Test("Rule 21: a property that is announced by hand is so in each object") func byHand() throws {
        for name in ["first", "second", "third"] {
            let gauge = Gauge()
            watch(gauge, \.silent, as: name)
            gauge.silent = 1
            gauge.withChange(of: \.silent) { gauge.silent = 2 }
        }
        try log.expect(["first 0", "first 2", "second 0", "second 2", "third 0", "third 2"])
    }

    @Test("Rule 17: a stored property with declared dependencies has them in each object") func dependencies() throws {
        for name in ["first", "second", "third"] {
            let gauge = Gauge()
            watch(gauge, \.scaled, as: name)
            gauge.scale = 2
        }
        try log.expect(["first 0", "first 0", "second 0", "second 0", "third 0", "third 0"])
    }

    @Test("Rule 40b: an atomic property is known as one in each object") func atomic() {
        let results = (0..<3).map { _ in
            let gauge = Gauge()
            return observations.observe(gauge, \.shared, isolation: nil) { _, _ in }
        }
        #expect(results == Array(repeating: .refused(.noIsolation), count: 3))
    }

    #if !SAFEKVO_PLAIN_KEY_PATHS
        /// Calls the subscript of the wrapper by hand, for an element of a class that counts its objects.
        final class Shelf: KeyValueObservable {
            final class Place: Hashable {
                static func == (left: Place, right: Place) -> Bool { true }
                func hash(into hasher: inout Hasher) {}
            }
            let keyValueRegistrar = KeyValueRegistrar()
            var stored = Observed(wrappedValue: 0)
            subscript(_ place: Place) -> Int {
                get { Observed[_enclosingInstance: self, wrapped: \.[place], storage: \.stored] }
                set { Observed[_enclosingInstance: self, wrapped: \.[place], storage: \.stored] = newValue }
            }
        }

        @Test("The arguments of a key path are released when its observations and objects are gone") func arguments() throws {
            struct Reference { weak var place: Shelf.Place? }
            var references: [Reference] = []
            for index in 1...3 {
                let (shelf, place) = (Shelf(), Shelf.Place())
                references.append(Reference(place: place))
                observations.observe(shelf, \.[place], options: .new) { [log] _, _, change in log.append("\(change.newValue ?? 0)") }
                shelf[place] = index
                observations.unobserveAll()
            }
            try log.expect(["1", "2", "3"])
            #expect(references.allSatisfy { $0.place == nil })
        }
    #endif

    /// Returns a key path that is an object of its own, because it is made where its type is known only at run time.
    @inline(never)
    @_semantics("optimize.sil.specialize.generic.never")
    private static func level<Root: Gauge>(of type: Root.Type) -> KeyPath<Root, Int> { \Root.level }

    @Test("More key paths than are kept, each an object of its own, are observed alike") func manyKeyPaths() throws {
        var calls = 0
        let keyPaths = (1...5000).map { _ in Self.level(of: Gauge.self) }
        for (index, keyPath) in keyPaths.enumerated() {
            let gauge = Gauge()
            observations.observe(gauge, keyPath, options: .new) { _, _, change in calls += change.newValue ?? 0 }
            gauge.level = index
        }
        #expect(calls == 4999 * 5000 / 2)
        #expect(Set(keyPaths.map { ObjectIdentifier($0) }).count > 4096, "the key paths are one object, so that nothing was shown")
    }
}
