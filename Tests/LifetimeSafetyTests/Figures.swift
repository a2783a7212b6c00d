import Foundation
import Synchronization
import Testing

/// What the suite has done, told when the process ends.
final class Figures: Sendable {
    static let shared = Figures()

    private let operations = Atomic<Int>(0)
    private let interleavings = Atomic<Int>(0)
    private let threads = Atomic<Int>(0)
    private let failures = Atomic<Int>(0)
    private let start = ContinuousClock.now

    private init() {
        atexit { Figures.shared.tell() }
    }

    /// Counts things done to subjects, observers, controllers and observations.
    func add(operations count: Int) { operations.wrappingAdd(count, ordering: .relaxed) }

    /// Counts meetings of threads that may have gone either way, and orders of deaths.
    func add(interleavings count: Int) { interleavings.wrappingAdd(count, ordering: .relaxed) }

    /// Counts threads that were started.
    func add(threads count: Int) { threads.wrappingAdd(count, ordering: .relaxed) }

    /// Records a failure of the suite's own checks.
    func fail(_ comment: String) {
        failures.wrappingAdd(1, ordering: .relaxed)
        Issue.record("\(comment)")
    }

    private static var sanitizer: String {
        // SAFETY: the handle of nil stands for the whole program, and the symbols are not used.
        if unsafe dlsym(nil, "__asan_init") != nil { return "address" }
        return unsafe dlsym(nil, "__tsan_init") != nil ? "thread" : "none"
    }

    private func tell() {
        let seconds = (ContinuousClock.now - start).components.seconds
        print(
            "Lifetimes: \(operations.load(ordering: .relaxed)) operations, \(interleavings.load(ordering: .relaxed)) interleavings, "
                + "\(threads.load(ordering: .relaxed)) threads, \(seconds) s, sanitizer \(Self.sanitizer), "
                + "failures \(failures.load(ordering: .relaxed))")
    }
}
