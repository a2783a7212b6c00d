import Foundation

/// Something that happened on another thread.
package final class Flag: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `isUp` belongs to `condition`.
    private let condition = NSCondition()
    private var isUp = false

    package init() {}

    package var isSet: Bool { condition.withLock { isUp } }

    package func set() {
        condition.withLock {
            isUp = true
            condition.broadcast()
        }
    }

    /// Waits without a processor.
    ///
    /// Who sets the flag must have a thread of its own: all that tasks have may be taken up by tests that wait.
    package func wait() {
        condition.withLock {
            while !isUp { condition.wait() }
        }
    }
}
