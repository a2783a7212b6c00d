/// Who looks at a value that does not announce its changes, for the observations that hold on to this.
@usableFromInline
package class PullDriver: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the counts belong to `lock`, and so does what subclasses say of themselves.

    let lock = Lock()
    /// How many observations there are.
    ///
    /// Guarded by `lock`. Of two threads the later may be told first, so it is negative now and then.
    private var count = 0
    /// How many are being made: what is found and heard meanwhile is their business.
    ///
    /// Guarded by `lock`.
    private var registrations = 0

    init() {}

    /// The function that registers observers of the driver, as messages quote it.
    var function: StaticString { "observe" }

    /// Whether there is anybody to tell, now or soon.
    final var isObserved: Bool { lock.withLock { isObservedUnderLock } }

    /// The same, for who has the lock.
    final var isObservedUnderLock: Bool { count > 0 || registrations > 0 }

    /// Somebody is about to observe.
    final func registrationWillBegin() {
        lock.withLock { registrations += 1 }
    }

    /// Somebody observes, or could not.
    final func registrationDidEnd() {
        let isOver = lock.withLock {
            registrations -= 1
            return !isObservedUnderLock
        }
        if isOver { lastDidEnd() }
    }

    /// An observation has been added.
    final func observationDidBegin() {
        let isFirst = lock.withLock {
            count += 1
            return count == 1
        }
        if isFirst { firstDidBegin() }
    }

    /// An observation has ended.
    final func observationDidEnd() {
        let wasLast = lock.withLock {
            count -= 1
            return count == 0
        }
        if wasLast { lastDidEnd() }
    }

    /// There is somebody to tell; if nobody is left by now, `lastDidEnd()` comes or has come.
    func firstDidBegin() {}

    /// Nobody is left to tell; if somebody is there again by now, `firstDidBegin()` comes or has come.
    func lastDidEnd() {}
}
