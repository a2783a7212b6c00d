import Foundation
import MemoryModel

/// The thread that explorations have to themselves, one after the other.
///
/// They compute for long. On the threads of Swift's tasks they would keep the other tests from going on, some of which have a deadline.
enum Explorer {
    private static let turn = NSLock()

    static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let result = turn.withLock { body() }
                continuation.resume(returning: result)
            }
        }
    }

    /// Explores one of several programs; nil if none has the name.
    ///
    /// The programs are made on the thread that explores them.
    static func explore(
        _ name: String, of programs: @escaping @Sendable () -> [Program], _ weakened: @escaping @Sendable () -> [Weakened] = { [] }
    ) async -> Finding? {
        await run { programs().first { $0.name == name }.map { Exploration.explore($0, weakened()) } }
    }
}
