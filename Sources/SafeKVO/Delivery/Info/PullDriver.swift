/// An object that looks for changes of a value that does not notify of them itself, for example by polling.
///
/// The observations of the value retain the driver. Subclasses start when the first observation begins, and stop after the last one.
@usableFromInline
package class PullDriver: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards the counts. Subclasses say how they guard what they add.

    let lock = Lock()
    /// The number of observations.
    ///
    /// Two threads may report a beginning and an end in either order, so the number may be negative for a moment.
    private var count = 0
    /// The number of registrations in progress.
    ///
    /// They count as observers, because they need the changes that the driver finds meanwhile.
    private var registrations = 0

    init() {}

    /// The name of the function with which the program observes the value, for messages.
    var function: StaticString { "observe" }

    /// `true` if the value has an observer, or a registration is in progress.
    final var isObserved: Bool { lock.withLock { isObservedUnderLock } }

    /// `true` if the value has an observer, or a registration is in progress; the caller must hold `lock`.
    final var isObservedUnderLock: Bool { count > 0 || registrations > 0 }

    final func registrationWillBegin() {
        lock.withLock { registrations += 1 }
    }

    /// Notes that a registration has finished, whether or not it succeeded.
    final func registrationDidEnd() {
        let isOver = lock.withLock {
            registrations -= 1
            return !isObservedUnderLock
        }
        if isOver { lastDidEnd() }
    }

    final func observationDidBegin() {
        let isFirst = lock.withLock {
            count += 1
            return count == 1
        }
        if isFirst { firstDidBegin() }
    }

    final func observationDidEnd() {
        let wasLast = lock.withLock {
            count -= 1
            return count == 0
        }
        if wasLast { lastDidEnd() }
    }

    /// Called when the first observation has begun.
    ///
    /// Another thread may end that observation meanwhile. Then `lastDidEnd()` is called as well, before this call or after it.
    func firstDidBegin() {}

    /// Called when the last observation has ended.
    ///
    /// Another thread may begin an observation meanwhile. Then `firstDidBegin()` is called as well, before this call or after it.
    func lastDidEnd() {}
}
