import Foundation
@testable import SafeKVO
import Synchronization
import Testing

/// The counts in the state word of an observation stop before the flags beside them.
@Suite struct RunningCallTests {
    final class Model: KeyValueObject { @Observed var n = 0 }
    final class Screen {
        private(set) lazy var observations = ObservationController(observer: self)
    }

    #if SAFEKVO_NARROW_COUNTERS
        private static let most: UInt64 = 1 << 9
    #else
        private static let most: UInt64 = 1 << 16
    #endif

    @Test("Rule 36b: a handler that runs 65,536 times at once ends the program with a message")
    func tooManyCalls() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (model, screen) = (Model(), Screen())
            screen.observations.observe(model, \.n, options: .new) { screen, model, change in
                guard change.newValue == 1 else { return print("called") }
                // As many calls as if this one had called itself as often.
                for info in screen.observations.core.infos() {
                    info.state.wrappingAdd((RunningCallTests.most - 1) * (InfoState.call + InfoState.delivery), ordering: .relaxed)
                }
                model.n = 2
            }
            model.n = 1
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("is running \(RunningCallTests.most) times at once"))
        #expect(message.contains("RunningCallTests.swift"))
    }

    @Test("The program stops while the counts are far from the flags, whatever other threads add meanwhile")
    func countsAreFarFromTheFlags() {
        let crowded = InfoState(Self.most * InfoState.call)
        #expect(crowded.hasTooManyCalls && !InfoState(crowded.bits - InfoState.call).hasTooManyCalls)
        // Each of these threads has added its call, and has not yet looked.
        let beyond = InfoState(crowded.bits + (Self.most - 1) * InfoState.call)
        #expect(beyond.hasTooManyCalls && beyond.hasCalls && beyond.deliveries == 0)
        #expect(!beyond.isPaused && !beyond.isMarked && !beyond.isOpened)
    }

    @Test("Rule 33: a handler that is inside itself 10,000 times keeps its captures until the last call has ended")
    func deepCalls() async {
        await #expect(processExitsWith: .success) {
            final class Captured {
                var words = [1, 2, 3]
                let whenReleased: () -> Void
                init(_ whenReleased: @escaping () -> Void) { self.whenReleased = whenReleased }
                deinit { whenReleased() }
            }
            await withCheckedContinuation { continuation in
                let thread = Thread {
                    let (model, screen) = (Model(), Screen())
                    var isReleased = false
                    func register() {
                        let captured = Captured { isReleased = true }
                        screen.observations.observe(model, \.n, options: .new) { screen, model, change in
                            if model.n < 10_000 { model.n += 1 } else { screen.observations.unobserveAll() }
                            precondition(!isReleased && captured.words.count == 3)
                        }
                    }
                    register()
                    model.n = 1
                    precondition(isReleased && model.n == 10_000)
                    continuation.resume()
                }
                thread.stackSize = 1 << 30
                thread.start()
            }
        }
    }
}
