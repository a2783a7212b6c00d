/// An object that looks for changes of a value that does not notify of them itself, for example by polling.
///
/// The observations of the value retain the driver. Subclasses start looking when the first observation begins, and stop after the last
/// one.
@usableFromInline
package class PullDriver: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards the counts. Subclasses say how they guard what they add.

    let lock = Lock()
    /// The number of observations.
    ///
    /// `lock` guards it. Two threads may report a beginning and an end in either order, so the number may be negative for a moment.
    private var count = 0
    /// The number of registrations in progress.
    ///
    /// They count as observers, because a change that the driver finds meanwhile concerns them. `lock` guards the number.
    private var registrations = 0

    init() {}

    /// The function that registers observers of the driver, as messages quote it.
    var function: StaticString { "observe" }

    /// `true` if the value has an observer, or a registration is in progress.
    final var isObserved: Bool { lock.withLock { isObservedUnderLock } }

    /// `true` if the value has an observer, or a registration is in progress.
    ///
    /// The caller must hold `lock`.
    final var isObservedUnderLock: Bool { count > 0 || registrations > 0 }

    /// Notes that a registration begins.
    final func registrationWillBegin() {
        lock.withLock { registrations += 1 }
    }

    /// Notes that a registration has finished, with or without success.
    final func registrationDidEnd() {
        let isOver = lock.withLock {
            registrations -= 1
            return !isObservedUnderLock
        }
        if isOver { lastDidEnd() }
    }

    /// Notes that an observation has been added.
    final func observationDidBegin() {
        let isFirst = lock.withLock {
            count += 1
            return count == 1
        }
        if isFirst { firstDidBegin() }
    }

    /// Notes that an observation has ended.
    final func observationDidEnd() {
        let wasLast = lock.withLock {
            count -= 1
            return count == 0
        }
        if wasLast { lastDidEnd() }
    }

    /// Called when the first observation has begun.
    ///
    /// Two threads may make these calls in either order. If the observation has ended by now, `lastDidEnd()` will be called or has been
    /// called.
    func firstDidBegin() {}

    /// Called when the last observation has ended.
    ///
    /// Two threads may make these calls in either order. If another observation has begun by now, `firstDidBegin()` will be called or has
    /// been called.
    func lastDidEnd() {}
}
