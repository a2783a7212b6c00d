import Dispatch
import SafeKVO
import SafeKVODiagnostics
import SafeKVOTesting
import Testing

/// What is told of one observation.
@Suite struct SnapshotTests {
    final class Street: KeyValueObject {
        @Observed var name = "Main"
    }

    final class House: KeyValueObject {
        @Observed var street: Street? = Street()
        @AtomicObserved var floors = 1
        @Observed var number = 1
        var label: String { "\(number)" }
    }

    final class Visitor {
        lazy var observations = ObservationController(observer: self)
        lazy var loose = ObservationController(observer: self, retainsObserved: false)

        func numberDidChange(_ change: KeyValueChange<Int>) {}
    }

    final class Guest: Sendable {}

    @Test("An observation is told in one line: who, whom, what, how, how often and where")
    func anObservationIsToldInOneLine() {
        let (house, visitor) = (House(), Visitor())
        let line = #line + 1
        visitor.observations.observe(house, \.number, options: [.old, .new], tag: "t", action: Visitor.numberDidChange(_:));
        house.number = 2
        let told = visitor.observations.observations.map(\.description)
        #expect(
            told == [
                "Visitor observes House.number, options [.new, .old], action, tag t, retaining, 1 calls (SafeKVODiagnosticsTests/SnapshotTests.swift:\(line))"
            ])
    }

    @MainActor @Test("Properties have their names, also atomic ones")
    func propertiesHaveNames() {
        let (house, visitor) = (House(), Visitor())
        visitor.observations.observe(house, \.floors) { _, _ in }
        visitor.observations.observe(house, \.number) { _, _ in }
        #expect(visitor.observations.observations.map(\.name) == ["floors", "number"])
    }

    @Test("The observers of one property are told in the order in which they are called")
    func observersAreToldInTheirOrder() {
        let house = House()
        let visitors = (0..<5).map { _ in Visitor() }
        for visitor in visitors.reversed() { visitor.observations.observe(house, \.number) { _, _ in } }
        let order = ObservationDiagnostics.observations(of: house).map(\.observer)
        #expect(order == visitors.reversed().map { ObjectIdentifier($0) })
    }

    @Test("Who follows an object only because a key path goes through it is told if asked for")
    func dependenciesAreToldIfAskedFor() throws {
        let (house, visitor) = (House(), Visitor())
        let street = try #require(house.street)
        visitor.observations.observe(house, \.street?.name) { _, _ in }
        #expect(ObservationDiagnostics.observations(of: street).isEmpty)
        let followed = ObservationDiagnostics.observations(of: street, includingDependencies: true)
        #expect(followed.map(\.handler) == [.dependency])
        #expect(followed.map(\.observer) == [nil])
        #expect(followed.map(\.name) == ["name"])
        #expect(followed.allSatisfy { $0.description.hasPrefix("SafeKVO observes Street.name") })
        #expect(throws: ObservationLeak.self) { try expectNoObservations(on: street) }
        house.street = nil
        try expectNoObservations(on: street)
    }

    @Test("A test may ignore what an object observes of itself, with what the library then observes of it, and nothing else")
    func observationsOfItselfMayBeIgnored() throws {
        final class Counter: KeyValueObject {
            @Observed var count = 0
            var isEven: Bool { count.isMultiple(of: 2) }
            private(set) lazy var observations = ObservationController(observer: self)
        }
        let (counter, visitor) = (Counter(), Visitor())
        counter.observations.observe(counter, \.isEven) { _, _ in }
        #expect(throws: ObservationLeak.self) { try expectNoObservations(on: counter) }
        try expectNoObservations(on: counter, ignoringItself: true)
        visitor.loose.observe(counter, \.isEven) { _, _ in }
        let leak = #expect(throws: ObservationLeak.self) { try expectNoObservations(on: counter, ignoringItself: true) }
        #expect(leak?.observations.map(\.observerType) == ["Visitor"])
    }

    @Test("A controller is told with its observer, its counters and a line for each observation")
    func aControllerIsTold() {
        let (house, visitor) = (House(), Visitor())
        visitor.loose.observe(house, \.number, tag: "a") { _, _ in }
        visitor.loose.observe(house, \.number, tag: "a") { _, _ in }
        let lines = visitor.loose.debugDescription.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(
            lines.first
                == "ObservationController of Visitor, not retaining: delivered 1, dropped 0, wrongIsolation 0, overtaken 0, ignored adds 1, ignored removes 0"
        )
        #expect(
            lines.last?.hasPrefix("  Visitor observes House.number, options [.initial, .new], closure, tag a, not retaining, 1 calls (")
                == true)
    }

    @Test("A controller outlives its observer and says so")
    func aControllerOutlivesItsObserver() throws {
        var visitor: Visitor? = Visitor()
        let observations = try #require(visitor?.observations)
        visitor = nil
        #expect(observations.debugDescription.hasPrefix("ObservationController of Visitor, which is deallocated, retaining: "))
    }

    @Test("Asking who observes an object harms nobody while others come and go")
    func askingHarmsNobody() {
        let subject = SharedLevel()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<300 {
                if thread == 0 {
                    _ = ObservationDiagnostics.observations(of: subject, includingDependencies: true).map(\.description)
                } else {
                    let guest = Guest()
                    let observations = ObservationController(observer: guest, retainsObserved: round.isMultiple(of: 2))
                    observations.observe(subject, \.level, on: .anyThread { _, _ in })
                    withExtendedLifetime((guest, observations)) { subject.level = round }
                }
            }
        }
        #expect(ObservationDiagnostics.observations(of: subject).isEmpty)
    }
}
