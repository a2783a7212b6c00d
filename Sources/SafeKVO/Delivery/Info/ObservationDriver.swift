/// Checks a value for changes, for example by polling, because the value itself does not report them.
///
/// The observations of the value retain this object. A subclass starts checking when the first observation begins, and stops after
/// the last one.
@usableFromInline
package class ObservationDriver: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` guards `count`. Subclasses guard their own properties.

    let lock = Lock()
    /// The number of observations and of registrations in progress.
    ///
    /// May be negative for a moment, because threads report beginnings and ends of observations in any order.
    private var count = 0

    init() {}

    final var isObserved: Bool { lock.withLock { isObservedUnderLock } }

    final var isObservedUnderLock: Bool { count > 0 }

    final func observationDidBegin() {
        let isFirst = lock.withLock {
            count += 1
            return count == 1
        }
        if isFirst { firstDidBegin() }
    }

    /// Called where an observation lets go of the driver.
    final func observationDidEnd() {
        let wasLast = lock.withLock {
            count -= 1
            return count == 0
        }
        if wasLast { lastDidEnd() }
    }

    /// Called after the first observation has begun; on another thread, `lastDidEnd()` may overtake this call.
    func firstDidBegin() {}

    /// Called after the last observation has ended; on another thread, `firstDidBegin()` may overtake this call.
    func lastDidEnd() {}
}
