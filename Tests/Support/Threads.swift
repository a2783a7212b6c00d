import Foundation

/// Threads that end when their work is done.
package enum Threads {
    /// Begins something on a thread of its own.
    package static func start(_ body: @escaping @Sendable () -> Void) { Thread(block: body).start() }

    /// Runs something on a thread of its own.
    package static func run(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            start {
                body()
                continuation.resume()
            }
        }
    }
}
