import SafeKVO
import SafeKVOTesting
import Synchronization
import TestSupport
import Testing

/// Rule 33, where something else than a removal decides which thread releases what an observation has kept.
@Suite struct HoldRaceTests {
    final class Job: Sendable {
        let progress = ObservedValue(0)

        /// Starts two threads that write until the first flag is set; returns the flags that they set then.
        func startWriters(until isOver: Flag) -> [Flag] {
            (0..<2).map { _ in
                let done = Flag()
                TestSupport.Threads.start {
                    while !isOver.isSet { self.progress.update { $0 &+= 1 } }
                    done.set()
                }
                return done
            }
        }
    }
    final class File {
        var size = 0
    }
    @MainActor final class Panel {
        private(set) lazy var observations = ObservationController(observer: self)
    }

    @Test("Rule 33: a sequence ends in its isolation while other threads fill its buffer")
    @MainActor func aSequenceEndsWhileItIsFilled() {
        let (panel, job, isOver) = (Panel(), Job(), Flag())
        let writers = job.startWriters(until: isOver)
        for _ in 0..<2000 {
            let values = panel.observations.values(of: job.progress, \.value, buffering: .newest(1))
            let changes = panel.observations.changes(of: job.progress, \.value, buffering: .newest(1))
            _ = (consume values, consume changes)
        }
        isOver.set()
        for writer in writers { writer.wait() }
        #expect(panel.observations.observations.isEmpty)
    }

    @Test("Rule 33: the observer of a sequence is released where its owner drops it, not where the buffer is filled")
    @MainActor func aSequenceDoesNotRetainItsObserver() {
        final class Part {
            private(set) lazy var observations = ObservationController(observer: self)
            let mark: OnMain
            init(_ flag: Flag) { mark = OnMain(flag) }
        }
        let (job, isOver) = (Job(), Flag())
        let writers = job.startWriters(until: isOver)
        for _ in 0..<2000 {
            let released = Flag()
            func use() {
                let part = Part(released)
                let values = part.observations.values(of: job.progress, \.value, buffering: .newest(1))
                _ = consume values
            }
            use()
            #expect(released.isSet)
        }
        isOver.set()
        for writer in writers { writer.wait() }
    }

    @Test("Rule 33: a poll on the main actor releases its comparison there")
    @MainActor func aPollReleasesItsComparison() async throws {
        for _ in 0..<20 {
            let (panel, file, released, clock) = (Panel(), File(), Flag(), SteppedClock())
            func poll() {
                let capture = OnMain(released)
                panel.observations.poll(
                    file, \.size, every: .seconds(1), clock: clock, initial: false,
                    removing: .duplicates { old, new in
                        _ = capture
                        return old == new
                    }
                ) { panel, _ in
                    panel.observations.unobserveAll()
                }
            }
            poll()
            try await clock.waitForSleepers(1)
            file.size = 1
            clock.advance(by: .seconds(1))
            await until { released.isSet }
        }
    }

    @Test("Rule 36: several threads begin and end polls of one object")
    func pollsBeginAndEndAnywhere() {
        final class Meter: Sendable {
            let flow = Atomic<Int>(0)
            var value: Int { flow.load(ordering: .relaxed) }
        }
        final class Log: Sendable {}
        let (meter, log, clock) = (Meter(), Log(), SteppedClock())
        let observations = SharedObservationController(observer: log)
        let (isOver, done) = (Flag(), Flag())
        TestSupport.Threads.start {
            while !isOver.isSet { observations.unobserveAll() }
            done.set()
        }
        for _ in 0..<500 {
            observations.poll(meter, \.value, every: .seconds(1), clock: clock, initial: false, on: .anyThread { _, _ in })
        }
        isOver.set()
        done.wait()
        observations.unobserveAll()
        #expect(observations.observations.isEmpty)
    }

    @Test("Rule 33: a removal in a deinit that another removal has caused lets go before it returns")
    func aNestedRemovalLetsGoAtOnce() {
        final class Cell: KeyValueObject {
            @Observed var value = 0
        }
        final class Observer {}
        final class Trigger {
            let body: () -> Void
            init(_ body: @escaping () -> Void) { self.body = body }
            deinit { body() }
        }
        func end(_ capture: AnyObject) {
            let (observer, cell) = (Observer(), Cell())
            let observations = ObservationController(observer: observer)
            observations.observe(cell, \.value) { [capture] _, _ in _ = capture }
            observations.unobserveAll()
        }
        let (released, before) = (Flag(), Flag())
        end(
            Trigger {
                end(Trigger { released.set() })
                if released.isSet { before.set() }
            })
        #expect(before.isSet)
    }

    @Test("Rule 33: a form with `on:` that ends itself elsewhere lets go of nothing that waits in its controller")
    func anEndOfItsOwnElsewhere() {
        final class Log: Sendable {}
        final class Capture: Sendable {}
        final class Model: KeyValueObservable, Sendable {
            let keyValueRegistrar = KeyValueRegistrar()
            var label: String { "" }
        }
        Warnings.listen()
        let (log, job, called) = (Log(), Job(), Flag())
        let observations = ObservationController(observer: log, retainsObserved: false)
        observations.observeOnce(job.progress, \.value, initial: false, where: { $0 == 1 }, on: .anyThread { _, _ in called.set() })
        func observeWhatDiesElsewhere() -> Weak<Capture> {
            let capture = Capture()
            let model = Mutex<Model?>(Model())
            observations.observe(model.withLock { $0 }, \.label) { _, _ in _ = capture }
            OtherThread.run { model.withLock { $0 = nil } }
            return Weak(capture)
        }
        let waiting = observeWhatDiesElsewhere()
        OtherThread.run { job.progress.value = 1 }
        #expect(called.isSet && waiting.object != nil)
        observations.unobserveAll()
        #expect(waiting.object == nil)
        withExtendedLifetime(log) {}
    }
}
