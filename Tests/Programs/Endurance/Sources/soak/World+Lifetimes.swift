import EnduranceKit
import Foundation
import SafeKVO
import SafeKVODiagnostics
import Synchronization

/// Who dies when, tokens, pauses, and threads.
extension World {
    static let lifetimes: [Feature<World>] = [
        Feature(name: "pauses") { $0.pause() },
        Feature(name: "once and until") { $0.observeOnce() },
        Feature(name: "tokens") { $0.useTokens() },
        Feature(name: "bindings") { $0.useBindings() },
        Feature(name: "non-retaining controllers") { $0.observeWithoutRetaining() },
        Feature(name: "self observation") { $0.observeItself() },
        Feature(name: "dead observers whose controllers live on") { $0.outliveObservers() },
        Feature(name: "chains of objects") { $0.chain() },
        Feature(name: "atomic") { $0.observeAtomic() },
        Feature(name: "threads") { $0.useThreads() },
        Feature(name: "diagnostics") { $0.diagnose() },
    ]

    private func pause() {
        let passing = Viewer()
        passing.observations.observe(song, \.rating, initial: false) { viewer, _ in viewer.calls += 1 }
        passing.observations.observe(song, \.title, options: [.old, .new]) { viewer, _, _ in viewer.heard += 1 }
        passing.observations.pause()
        for rating in 0..<5 { song.rating = rating }
        song.title = "Bourrée"
        // One that is removed during the pause, with a value that waits.
        passing.observations.observe(song, \.marks, initial: false) { viewer, _ in viewer.calls += 100 }
        song.marks = [1, 2]
        passing.observations.unobserve(song, \.marks)
        expect(passing.calls, 0)
        if numbers.below(2) == 0 {
            passing.observations.resume()
            expect(passing.calls, 1)
        }
        song.marks = []
    }

    private func observeOnce() {
        let passing = Viewer()
        song.rating = 0
        passing.observations.observeOnce(song, \.rating, where: { $0 > 2 }) { viewer, _ in viewer.calls += 1 }
        passing.observations.observe(song, \.rating, until: { $0 > 3 }, tag: "until") { viewer, _ in viewer.heard += 1 }
        // This one never gets its value.
        passing.observations.observeOnce(song, \.title, where: { $0.isEmpty }) { viewer, _ in viewer.calls += 100 }
        for rating in 1...6 { song.rating = rating }
        expect(passing.calls, 1)
        expect(passing.heard, 5)
    }

    private func useTokens() {
        let (counted, gauge) = (Viewer(), Gauge())
        let first = song.observation(of: \.rating, initial: false) { _, _ in counted.calls += 1 }
        let second = song.observation(of: \.label, options: [.old, .new]) { _, _ in counted.calls += 1 }
        let third = signal.observation { gauge.note($0) }
        song.rating &+= 1
        signal.send(10)
        first.cancel()
        song.rating &+= 1
        expect(counted.calls, 3)
        expect(gauge.calls.load(ordering: .relaxed), 10)
        withExtendedLifetime((second, third)) {}
        // Tokens of an object that dies first, some of which are kept.
        let dying = Song()
        tokens.append(dying.observation(of: \.rating) { _, _ in counted.calls += 1 })
        if tokens.count > 32 { tokens.removeFirst(16) }
    }

    private func useBindings() {
        let (left, right) = (Song(), Song())
        let one = bind(song, \.rating, to: left, \.rating)
        let two = bind(left, \.title, with: right, \.title)
        song.rating = numbers.below(100)
        left.title = "a"
        right.title = "b"
        expect(left.rating, song.rating)
        expect(left.title, "b")
        one.cancel()
        withExtendedLifetime(two) {}
    }

    private func observeWithoutRetaining() {
        let (parent, child) = (Song(), Song())
        parent.next = child
        parent.own.observe(child, \.rating) { song, rating in song.marks = [rating] }
        // The child must not retain its parent.
        child.ownNotRetaining.observe(parent, \.title) { song, title in song.title = title }
        child.rating = 4
        parent.title = "Partita"
        expect(parent.marks, [4])
        expect(child.title, "Partita")
    }

    private func observeItself() {
        let song = Song()
        song.own.observe(song, \.rating) { song, rating in song.title = "\(rating)" }
        song.own.observe(song, \.label, initial: false) { song, _ in song.marks.append(1) }
        song.ownNotRetaining.observe(song, \.marks) { song, marks in song.genres = Set(marks) }
        song.rating = 3
        expect(song.title, "3")
        expect(song.genres, [1])
    }

    private func outliveObservers() {
        var observers: [Viewer] = []
        for _ in 0..<4 {
            let passing = Viewer()
            let controller = ObservationController(observer: passing)
            controller.observe(song, \.rating, initial: false) { viewer, _ in viewer.calls += 1 }
            orphans.append(controller)
            let gauge = Gauge()
            let listening = ObservationController(observer: gauge)
            listening.observe(signal) { gauge, _ in gauge.note() }
            orphansOfSignals.append(listening)
            observers.append(passing)
        }
        song.rating &+= 1
        expect(observers.map(\.calls), [1, 1, 1, 1])
        observers = []
        song.rating &+= 1
        signal.send(1)
        if orphans.count > 64 {
            orphans.removeFirst(32)
            orphansOfSignals.removeFirst(32)
        }
    }

    private func chain() {
        let first = Song()
        var song = first
        for _ in 0..<20 {
            let next = Song()
            song.own.observe(next, \.rating, initial: false) { song, rating in song.rating = rating }
            song = next
        }
        song.rating = 9
        expect(first.rating, 9)
    }

    private func observeAtomic() {
        let gauge = Gauge()
        let observations = ObservationController(observer: gauge)
        observations.observe(shared.meter, \.level, initial: false, tag: "atomic", on: .anyThread { gauge, _ in gauge.note() })
        observations.observe(shared.meter, \.isOver, initial: false, on: .anyThread { gauge, _ in gauge.note() })
        shared.meter.level &+= 1
        shared.meter.$level.update { $0 &-= 1 }
        shared.meter.mutableArrayValue(for: \.samples).append(1)
        shared.meter.samples = []
        // Other threads change the meter, too.
        expect(gauge.calls.load(ordering: .relaxed) >= 2, true)
    }

    private func useThreads() {
        let meter = Meter()
        let gauge = Gauge()
        let observations = ObservationController(observer: gauge)
        observations.observe(meter, \.level, options: .new, on: .anyThread { gauge, _, _ in gauge.note() })
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            let thread = Thread { [shared] in
                let own = Gauge()
                let observations = ObservationController(observer: own)
                observations.observe(meter, \.level, initial: false, on: .anyThread { gauge, _ in gauge.note() })
                for _ in 0..<10 { meter.$level.update { $0 += 1 } }
                shared.meter.level &+= 1
                // A thread that ends inside an open change.
                let diary = Diary()
                diary.willChangeValue(for: \.pages)
                ended.signal()
            }
            thread.start()
        }
        for _ in 0..<2 { ended.wait() }
        expect(meter.level, 20)
        expect(gauge.calls.load(ordering: .relaxed), 20)
    }

    private func diagnose() {
        guard isFirst else { return }
        switch numbers.below(4) {
        case 0:
            let trace = ObservationTrace(limit: 1000)
            trace.start()
            observeProperties(of: Song())
            trace.stop()
            expect(trace.entries.isEmpty, false)
            expect(trace.chromeTrace.isEmpty, false)
        case 1:
            let count = Gauge()
            ObservationDiagnostics.logHandler = { _ in count.note() }
            observeProperties(of: Song())
            ObservationDiagnostics.logHandler = nil
            expect(count.calls.load(ordering: .relaxed) > 0, true)
        case 2:
            // Controllers from before are forgotten.
            ObservationDiagnostics.isRecording = false
            ObservationDiagnostics.isRecording = true
        default:
            let passing = Viewer()
            passing.observations.observe(song, \.rating) { viewer, _ in viewer.calls += 1 }
            expect(ObservationDiagnostics.snapshot().mermaid.isEmpty, false)
            expect(ObservationDiagnostics.observations(of: song).isEmpty, false)
        }
    }

    private func observeProperties(of song: Song) {
        let passing = Viewer()
        passing.observations.observe(song, \.rating) { viewer, _ in viewer.calls += 1 }
        song.rating = 1
    }
}
