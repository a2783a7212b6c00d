import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

@Suite struct WarningTests {
    final class Gauge: KeyValueObject {
        @Observed var level = 0
        @Observed var next: Gauge?
        var stored = 0
        var silent = 0
        let constant = 7
        var foreign: Int { stored }
        var declared: Int { stored }
        var mixed: Int { level + stored }

        override class func automaticallyNotifiesObservers(for key: ObservedKeyPath) -> Bool { key != \Gauge.silent }
        override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
            key == \Gauge.declared ? [\Gauge.stored] : []
        }
    }
    final class Observer {}

    let observer = Observer()
    let observations: ObservationController<Observer>
    let log = EventLog<String>()

    init() {
        Warnings.listen()
        observations = ObservationController(observer: observer)
    }

    @Test("Rule 19: a key path that touches nothing observable is reported once, with its place in the source")
    func nothingObservableIsReportedOnce() {
        let start: UInt = #line
        let gauges = [Gauge(), Gauge(), Gauge()]
        for gauge in gauges {
            observations.observe(gauge, \.stored) { _, _ in }
            observations.unobserve(gauge, \.stored)
        }
        #expect(Warnings.about(start...#line) == ["nothingObservable 3"])
        for gauge in gauges {
            observations.observe(gauge, \.constant, options: .new) { _, _, _ in }
            observations.observe(gauge, \.foreign) { _, _ in }
            observations.observe(gauge, \.constant.description) { _, _ in }
        }
        #expect(
            Warnings.about(start...#line) == ["nothingObservable 3", "nothingObservable 8", "nothingObservable 9", "nothingObservable 10"])
    }

    /// Its properties can be overridden.
    class OpenGauge: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the tests never use a gauge on two threads at once.
        var stored = 0
        final var fixed = 0
    }
    final class Box<Content>: KeyValueObject {
        var inner = Gauge()
        var count = 0
    }

    @Test("Rule 19: of a stored property it is said that it is to be @Observed; of anything else, that what it reads is")
    func theReportNamesTheCure() {
        let (gauge, open, box) = (Gauge(), OpenGauge(), Box<[Int]>())
        let start: UInt = #line
        observations.observe(gauge, \.stored) { _, _ in }
        observations.observe(gauge, \.constant) { _, _ in }
        observations.observe(open, \.fixed) { _, _ in }
        observations.observe(box, \.count) { _, _ in }
        let stored = Warnings.messages(start...#line)
        #expect(
            stored.map { $0.split(separator: "`")[1] } == [
                "Gauge.stored", "Gauge.constant", "OpenGauge.fixed", "Box<Array<Int>>.count",
            ])
        #expect(stored.count { $0.contains(" because the key path leads to a stored property without `@Observed`") } == 4)
        #expect(
            stored.count { $0.contains(". Declare it `@Observed`, or make it a computed property whose getter calls `access(_:)`") } == 4)
        let middle: UInt = #line
        observations.observe(gauge, \.foreign) { _, _ in }
        observations.observe(gauge, \.constant.description) { _, _ in }
        observations.observe(open, \.stored) { _, _ in }
        observations.observe(box, \.inner.stored) { _, _ in }
        let others = Warnings.messages(middle...#line)
        #expect(others.count { $0.contains(" because the key path reads no observed property") } == 4)
        #expect(others.count { $0.contains(". Declare what it reads `@Observed`, or let its getter call `access(_:)`") } == 4)
    }

    final class Shared: KeyValueObservable, Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        let level = ObservedValue(0)
    }

    @Test("Rule 19: of a key path that ends at an observable object it is said that a property of the object is missing")
    func theReportNamesTheMissingProperty() {
        let (gauge, start) = (Shared(), UInt(#line))
        observations.observe(gauge, \.level) { _, _ in }
        let messages = Warnings.messages(start...#line)
        #expect(messages.count { $0.contains("a change of the `ObservedValue<Int>` is meant, add its property") } == 1)
    }

    @Test("Rule 19: two places that observe the same key path are reported both")
    func eachPlaceIsReported() {
        let gauge = Gauge()
        let start: UInt = #line
        observations.observe(gauge, \.stored, tag: "first") { _, _ in }
        observations.observe(gauge, \.stored, tag: "second") { _, _ in }
        #expect(Warnings.about(start...#line) == ["nothingObservable 1", "nothingObservable 2"])
    }

    @Test("Rule 19: nothing is reported of what reads something observable, is declared to depend on something, or is not automatic")
    func whatCanBeHeardIsNotReported() {
        let gauge = Gauge()
        let start: UInt = #line
        observations.observe(gauge, \.level) { _, _ in }
        observations.observe(gauge, \.mixed) { _, _ in }
        observations.observe(gauge, \.next?.level) { _, _ in }
        observations.observe(gauge, \.next?.constant) { _, _ in }
        observations.observe(gauge, \.level.description) { _, _ in }
        observations.observe(gauge, \.silent) { _, _ in }
        observations.observe(gauge, \.declared) { _, _ in }
        #expect(Warnings.about(start...#line) == [])
    }

    @Test("Rule 19: what is reported is observed all the same, and heard when it is announced by hand")
    func whatIsReportedIsObserved() throws {
        let gauge = Gauge()
        let start: UInt = #line
        let result = observations.observe(gauge, \.foreign, options: [.initial, .old, .new, .prior]) { [log] _, _, change in
            log.append(change.told)
        }
        #expect(Warnings.about(start...#line) == ["nothingObservable 1"])
        #expect(result == .added)
        gauge.stored = 1
        gauge.withChange(of: \.foreign) { gauge.stored = 2 }
        try log.expect(["initial new 0", "prior old 1", "after old 1 new 2"])
    }

    @Test("Rule 19: the handler of warnings can be replaced, and set to nil")
    func theHandlerCanBeReplaced() async throws {
        // In a process of its own, for the handler belongs to all of it. There a closure has one line, so each place gets a number.
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let (gauge, observer, log) = (Gauge(), Observer(), EventLog<String>())
            let observations = ObservationController(observer: observer)
            observations.observe(gauge, \.stored, tag: "default", line: 1) { _, _ in }
            ObservationDiagnostics.warningHandler = { log.append("first \($0.kind) \($0.position.line)") }
            observations.observe(gauge, \.stored, tag: "first", line: 2) { _, _ in }
            ObservationDiagnostics.warningHandler = { log.append("second \($0.description.hasPrefix("\($0.position): "))") }
            observations.observe(gauge, \.stored, tag: "second", line: 3) { _, _ in }
            ObservationDiagnostics.warningHandler = nil
            precondition(ObservationDiagnostics.warningHandler == nil)
            observations.observe(gauge, \.stored, tag: "nil", line: 4) { _, _ in }
            let heard = log.events
            precondition(heard == ["first nothingObservable 2", "second true"], "\(heard)")
            withExtendedLifetime((observer, observations)) {}
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.split(separator: "\n").count { $0.contains("WarningTests.swift:1: ") } == 1)
    }

    @Test("A handler of warnings may observe, and replace itself")
    func aHandlerMayObserve() async {
        await #expect(processExitsWith: .success) {
            let (log, count) = (EventLog<String>(), EventLog<Int>())
            ObservationDiagnostics.warningHandler = { warning in
                count.append(1)
                ObservationDiagnostics.warningHandler = { log.append("\($0.kind)") }
                let (gauge, observer) = (Gauge(), Observer())
                let observations = ObservationController(observer: observer)
                observations.observe(gauge, \.stored, line: 2) { _, _ in }
                withExtendedLifetime((observer, observations)) {}
            }
            let (gauge, observer) = (Gauge(), Observer())
            let observations = ObservationController(observer: observer)
            observations.observe(gauge, \.stored, line: 1) { _, _ in }
            let (heard, calls) = (log.events, count.events)
            precondition(heard == ["nothingObservable"] && calls == [1], "\(heard), \(calls)")
            withExtendedLifetime((observer, observations)) {}
        }
    }
}
