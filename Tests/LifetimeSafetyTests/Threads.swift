import Foundation
import Synchronization

/// Runs closures on threads of their own, and fails if they do not come back.
enum Threads {
    struct Hang: Error, CustomStringConvertible {
        let running: Int
        let place: String
        var description: String { "\(running) thread(s) of \(place) did not end in time: a deadlock, or a machine that is far too busy" }
    }

    /// How long the watchdog waits before it calls a hang: not a measure of anything.
    static let patience = ProcessInfo.processInfo.environment["SAFEKVO_LIFETIME_PATIENCE"].flatMap { TimeInterval($0) } ?? 120

    /// Runs the closure on so many threads at once, and returns when all have ended.
    ///
    /// - Throws: a ``Hang`` if they do not end. The threads are left behind.
    static func run(
        _ count: Int, fileID: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Int) -> Void
    ) throws {
        let start = Meeting(parties: count)
        let running = Running(count)
        Figures.shared.add(threads: count)
        for index in 0..<count {
            let thread = Thread {
                start.pass()
                body(index)
                running.end()
            }
            thread.start()
        }
        let left = running.wait(for: patience)
        if left > 0 { throw Hang(running: left, place: "\(fileID):\(line)") }
    }

    private final class Running: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) `count` belongs to `condition`.
        private let condition = NSCondition()
        private var count: Int

        init(_ count: Int) { self.count = count }

        func end() {
            condition.lock()
            count -= 1
            condition.broadcast()
            condition.unlock()
        }

        func wait(for seconds: TimeInterval) -> Int {
            let limit = Date(timeIntervalSinceNow: seconds)
            condition.lock()
            while count > 0, condition.wait(until: limit) {}
            defer { condition.unlock() }
            return count
        }
    }
}

/// Lets threads meet: nobody passes until all have come.
///
/// It may be passed again and again. It spins, so that all set off within a few instructions of one another.
final class Meeting: Sendable {
    private let parties: Int
    private let arrived = Atomic<Int>(0)
    private let generation = Atomic<Int>(0)

    init(parties: Int) { self.parties = parties }

    func pass() {
        let mine = generation.load(ordering: .acquiring)
        if arrived.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == parties {
            arrived.store(0, ordering: .relaxed)
            Figures.shared.add(interleavings: 1)
            generation.wrappingAdd(1, ordering: .acquiringAndReleasing)
        } else {
            while generation.load(ordering: .acquiring) == mine { sched_yield() }
        }
    }
}

/// Something that threads hand over and change under a lock.
final class Shared<Value>: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `value` belongs to `lock`. The tests see to it that what is inside may be used from several threads.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func with<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }

    /// Takes the value out and leaves another in its place; what was taken out is released by the caller, outside the lock.
    func exchange(_ newValue: Value) -> Value {
        lock.withLock {
            let old = value
            value = newValue
            return old
        }
    }

    var current: Value { lock.withLock { value } }
}

/// A number that threads add to.
final class Tally: Sendable {
    private let number = Atomic<Int>(0)

    func add(_ amount: Int = 1) { number.wrappingAdd(amount, ordering: .relaxed) }

    var total: Int { number.load(ordering: .relaxed) }
}
