/// An object that checks a value for changes, for example by polling, because the value does not report them itself.
///
/// The observations of the value retain the driver. A subclass starts checking when the first observation begins, and
/// stops after the last one.
@usableFromInline
package class PullDriver: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `count` and `registrations`. Subclasses guard their own properties.

    let lock = Lock()
    /// The number of observations.
    ///
    /// It may be negative for a moment, because threads report beginnings and ends in any order.
    private var count = 0
    /// The number of registrations in progress.
    ///
    /// During a registration, the value counts as observed, so that its changes are noticed.
    private var registrations = 0

    init() {}

    /// The function with which the program observes the value, as messages name it.
    var function: StaticString { "observe" }

    final var isObserved: Bool { lock.withLock { isObservedUnderLock } }

    final var isObservedUnderLock: Bool { count > 0 || registrations > 0 }

    final func registrationWillBegin() {
        lock.withLock { registrations += 1 }
    }

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

    /// Called after the first observation has begun.
    ///
    /// If another thread ends that observation at once, `lastDidEnd()` may be called before or after this function.
    func firstDidBegin() {}

    /// Called after the last observation has ended.
    ///
    /// If another thread begins an observation at once, `firstDidBegin()` may be called before or after this
    /// function.
    func lastDidEnd() {}
}
