import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Rule 11a: no observation is handed a value older than one that it was handed before, and the last one is the value.
@MainActor @Suite struct LastValueTests {
    final class Speaker: KeyValueObject {
        @Observed var volume = 0
        @Observed var items: [Int] = []
        @AtomicObserved var balance = 0
        @Observed var room = Room()
        var isLoud: Bool { volume > 10 }
        var tenth: Int { volume / 10 }
        var label = "" {
            didSet { labels += 1 }
        }
        var labels = 0
    }
    final class Room: KeyValueObject {
        @Observed var size = 1
    }
    final class Panel {
        var heard: [String] = []
    }

    let speaker = Speaker()
    let first = Panel()
    let second = Panel()

    /// What limits the values that are set: it comes first in the order of delivery.
    private func limit<Value: Comparable>(_ keyPath: ReferenceWritableKeyPath<Speaker, Value>, to most: Value) -> ObservationController<
        Panel
    > {
        let observations = ObservationController(observer: first)
        observations.observe(speaker, keyPath) { [speaker] panel, value in
            panel.heard.append("\(value)")
            if value > most { speaker[keyPath: keyPath] = most }
        }
        return observations
    }

    @Test("Rule 11a: a value that a nested set has overtaken is not handed over, and is counted")
    func anOvertakenValueIsSkipped() {
        let limiting = limit(\.volume, to: 10)
        let observations = ObservationController(observer: second)
        observations.observe(speaker, \.volume) { panel, value in panel.heard.append("\(value)") }
        speaker.volume = 50
        #expect(first.heard == ["0", "50", "10"])
        #expect(second.heard == ["0", "10"])
        #expect(observations.counters == ObservationCounters(delivered: 2, overtaken: 1))
        speaker.volume = 7
        #expect(second.heard == ["0", "10", "7"])
        withExtendedLifetime(limiting) {}
    }

    @Test("Rule 11: the change form is told every change, nested ones first")
    func theChangeFormIsToldAll() {
        let limiting = limit(\.volume, to: 10)
        let observations = ObservationController(observer: second)
        observations.observe(speaker, \.volume, options: [.old, .new]) { panel, _, change in panel.heard.append(change.told) }
        speaker.volume = 50
        #expect(second.heard == ["after old 50 new 10", "after old 0 new 50"])
        #expect(observations.counters == ObservationCounters(delivered: 2))
        withExtendedLifetime(limiting) {}
    }

    @Test("Rule 11a: the filter for equal values compares with the last value that was handed over")
    func theFilterComparesWithTheLastValue() {
        let resetting = ObservationController(observer: first)
        resetting.observe(speaker, \.volume, options: .new) { [speaker] _, _, change in
            if change.newValue == 2 { speaker.volume = 1 }
        }
        let observations = ObservationController(observer: second)
        speaker.volume = 1
        observations.observe(speaker, \.volume, removing: .duplicates) { panel, value in panel.heard.append("\(value)") }
        // Set to 2 and, before this observer hears of that, back to 1.
        speaker.volume = 2
        #expect(second.heard == ["1"])
        speaker.volume = 3
        speaker.volume = 3
        #expect(second.heard == ["1", "3"])
        #expect(speaker.volume == 3)
    }

    @Test("Rule 11a: so it is with computed values and with the last property of a path")
    func pathsSkipOvertakenValues() {
        let limiting = limit(\.volume, to: 10)
        let resizing = ObservationController(observer: first)
        resizing.observe(speaker, \.room.size) { [speaker] _, size in if size > 5 { speaker.room.size = 5 } }
        let observations = ObservationController(observer: second)
        observations.observe(speaker, \.tenth) { panel, value in panel.heard.append("tenth \(value)") }
        observations.observe(speaker, \.isLoud, removing: .duplicates) { panel, value in panel.heard.append("loud \(value)") }
        observations.observe(speaker, \.room.size) { panel, value in panel.heard.append("size \(value)") }
        speaker.volume = 50
        speaker.room.size = 9
        #expect(second.heard.filter { $0.hasPrefix("tenth") } == ["tenth 0", "tenth 1"] || second.heard.contains("tenth 1"))
        #expect(second.heard.last { $0.hasPrefix("tenth") } == "tenth \(speaker.tenth)")
        #expect(second.heard.last { $0.hasPrefix("loud") } == "loud \(speaker.isLoud)")
        #expect(second.heard.filter { $0.hasPrefix("size") } == ["size 1", "size 5"])
        withExtendedLifetime(limiting) {}
    }

    @Test("Rule 11a: so it is with atomic properties")
    func atomicPropertiesSkipOvertakenValues() {
        let limiting = limit(\.balance, to: 10)
        let observations = ObservationController(observer: second)
        observations.observe(speaker, \.balance) { panel, value in panel.heard.append("\(value)") }
        speaker.balance = 50
        speaker.$balance.update { $0 = 30 }
        #expect(second.heard == ["0", "10", "10"])
        #expect(observations.counters.overtaken == 2)
        withExtendedLifetime(limiting) {}
    }

    @Test("Rule 11a: a wrapper that is replaced does not make its observers deaf")
    func aReplacedWrapperIsHeard() {
        final class Dial: KeyValueObject {
            @AtomicObserved var position = 0
            func replace() { _position = AtomicObserved(wrappedValue: -1) }
        }
        let dial = Dial()
        let observations = ObservationController(observer: second)
        observations.observe(dial, \.position) { panel, value in panel.heard.append("\(value)") }
        for position in 1...3 { dial.position = position }
        dial.replace()
        dial.position = 4
        #expect(second.heard == ["0", "1", "2", "3", "4"])
    }

    @Test("Rule 11a: so it is with what is announced by hand, and in collections")
    func manualNotificationsSkipOvertakenValues() {
        let correcting = ObservationController(observer: first)
        correcting.observe(speaker, \.label, options: .new) { [speaker] _, _, change in
            if change.newValue == "a" { speaker.withChange(of: \.label) { speaker.label = "b" } }
        }
        correcting.observe(speaker, \.items, options: .new) { [speaker] _, _, _ in
            if speaker.items.count > 2 { speaker.items = [0] }
        }
        let observations = ObservationController(observer: second)
        observations.observe(speaker, \.label) { panel, value in panel.heard.append(value) }
        observations.observe(speaker, \.items) { panel, value in panel.heard.append("\(value)") }
        speaker.withChange(of: \.label) { speaker.label = "a" }
        speaker.mutableArrayValue(for: \.items).append(contentsOf: [1, 2, 3])
        speaker.items = [1]
        #expect(second.heard == ["", "[]", "b", "[0]", "[1]"])
    }

    @Test("Rules 11a, 46: the values of a sequence end with the value")
    func aSequenceEndsWithTheValue() async {
        let limiting = limit(\.volume, to: 10)
        let observations = ObservationController(observer: second)
        let values = observations.values(of: speaker, \.volume)
        speaker.volume = 50
        speaker.volume = 4
        observations.invalidate()
        var all: [Int] = []
        for await value in values { all.append(value) }
        #expect(all == [0, 10, 4])
        withExtendedLifetime(limiting) {}
    }

    @Test("Rules 11a, 47: what a batch tells may be overtaken by what a handler sets")
    func whatABatchTellsMayBeOvertaken() {
        let limiting = limit(\.volume, to: 10)
        let observations = ObservationController(observer: second)
        observations.observe(speaker, \.volume) { panel, value in panel.heard.append("\(value)") }
        withBatchedChanges {
            speaker.volume = 20
            speaker.volume = 30
        }
        #expect(second.heard == ["0", "10"])
        withExtendedLifetime(limiting) {}
    }

    @Test("Rules 11a, 41: a value that was overtaken on its way to another isolation is not handed over")
    func hopsSkipOvertakenValues() async {
        final class Gauge: KeyValueObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) the property is atomic.
            @AtomicObserved var level = 0
        }
        final class Display: Sendable {}
        let (gauge, display, limiter) = (Gauge(), Display(), Display())
        let log = EventLog<Int>()
        let limiting = ObservationController(observer: limiter)
        limiting.observe(
            gauge, \.level, options: .new,
            on: .anyThread { _, gauge, change in
                if change.newValue ?? 0 > 10 { gauge.level = 10 }
            })
        let observations = ObservationController(observer: display)
        observations.observe(gauge, \.level, on: .mainActor { _, level in log.append(level) })
        await Task.detached { gauge.level = 50 }.value
        await until { log.events.last == 10 }
        await Task.detached { gauge.level = 3 }.value
        await until { log.events.last == 3 }
        #expect(log.events == [0, 10, 3])
        withExtendedLifetime((limiting, observations)) {}
    }

    @Test("Rules 11a, 38: of what arrives nested during an initial call, the newest is handed over and not the last that arrived")
    func theNewestWaits() {
        let setting = ObservationController(observer: first)
        setting.observe(speaker, \.volume, options: .new) { [speaker] _, _, change in if change.newValue == 1 { speaker.volume = 2 } }
        let observations = ObservationController(observer: second)
        observations.observe(speaker, \.volume) { [speaker] panel, value in
            panel.heard.append("\(value)")
            if value == 0 { speaker.volume = 1 }
        }
        #expect(second.heard == ["0", "2"])
        #expect(observations.counters.overtaken == 1)
    }

    @Test("Rules 11a, 47: a batch whose value another thread has overwritten hands over that one, again at the end")
    func aBatchIsOvertakenByAnotherThread() {
        final class Shared: KeyValueObject, @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) the property is atomic.
            @AtomicObserved var level = 0
        }
        final class Viewer: Sendable {}
        let (shared, viewer, log) = (Shared(), Viewer(), EventLog<Int>())
        let observations = ObservationController(observer: viewer)
        observations.observe(shared, \.level, on: .anyThread { _, level in log.append(level) })
        withBatchedChanges {
            shared.level = 1
            OtherThread.run { shared.level = 2 }
        }
        #expect(log.events == [0, 2, 2])
        #expect(shared.level == 2)
    }

    @Test("Rules 24, 47: a value that was set inside a cancelled change in a batch is the one that is handed over")
    func aCancelledChangeInABatch() {
        let observations = ObservationController(observer: second)
        observations.observe(speaker, \.volume) { panel, value in panel.heard.append("\(value)") }
        withBatchedChanges {
            speaker.volume = 1
            let change = speaker.willChange(\.volume)
            speaker.volume = 2
            change.cancel()
        }
        #expect(second.heard == ["0", "2"])
    }

    @Test("Rule 11a: a comparison that sets the property hands over the newest value and filters by it")
    func aComparisonThatSets() {
        let speaker = speaker
        let observations = ObservationController(observer: second)
        var sets = false
        let removing = RemovingDuplicates<Int>.duplicates { old, new in
            if sets {
                sets = false
                speaker.volume = 3
            }
            return old == new
        }
        observations.observe(speaker, \.volume, removing: removing) { panel, value in panel.heard.append("\(value)") }
        sets = true
        speaker.volume = 2
        #expect(speaker.volume == 3)
        #expect(second.heard == ["0", "3"])
        speaker.volume = 2
        #expect(second.heard == ["0", "3", "2"])
    }
}
