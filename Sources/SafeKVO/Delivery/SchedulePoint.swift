#if SAFEKVO_SCHEDULE_POINTS
    internal import CSafeKVO
#endif

/// A place at which a test may make a thread wait, so that other threads go first.
///
/// Two threads seldom meet in the few instructions between two steps of a protocol. If the library is built with the flag
/// `SAFEKVO_SCHEDULE_POINTS`, a thread that passes such a place gives the processor away now and then, as a seed decides. Without the flag,
/// which nobody but a test sets, to pass a place does nothing and costs nothing.
package struct SchedulePoint {
    private let number: UInt32

    @inline(__always)
    static func pass(_ place: SchedulePoint) {
        #if SAFEKVO_SCHEDULE_POINTS
            safekvo_pass_schedule_point(place.number)
        #endif
    }

    #if SAFEKVO_SCHEDULE_POINTS
        /// Lets a seed decide from now on where threads wait.
        package static func begin(seed: UInt64) { safekvo_seed_schedule(seed) }

        /// Gives the thread a number, so that its decisions follow from the seed and that number.
        package static func begin(thread: Int) { safekvo_seed_thread(UInt64(truncatingIfNeeded: thread)) }
    #endif

    // MARK: Places

    /// A call has been counted, and the thread has not looked yet whether it may make the call.
    static var afterEnter: Self { Self(number: 0) }
    /// The handler has returned, and its call is still counted.
    static var beforeLeave: Self { Self(number: 1) }
    /// An observation is about to be marked as removed.
    static var beforeRemoval: Self { Self(number: 2) }
    /// An observation has been marked as removed, and is still in its list.
    static var beforeUnlink: Self { Self(number: 3) }
    /// An observation has left its list, and nothing of it has been released.
    static var afterUnlink: Self { Self(number: 4) }
    /// A thread is about to release the objects that an observation keeps.
    static var beforeRelease: Self { Self(number: 5) }
    /// A walk goes to the next registration of a chain.
    static var chainStep: Self { Self(number: 6) }
    static var afterPin: Self { Self(number: 7) }
    static var beforeUnpin: Self { Self(number: 8) }
    /// A value has been written, and its change has got its number.
    static var afterNumber: Self { Self(number: 9) }
    /// A thread asks for the right to evaluate a key path.
    static var beforeTurn: Self { Self(number: 10) }
    static var beforePassingTurn: Self { Self(number: 11) }
    /// A key path is about to be linked to a property that its getter reads.
    static var beforeLink: Self { Self(number: 12) }
    /// A registration is in the controller's set, and is not in the list yet.
    static var beforeRegistration: Self { Self(number: 13) }
    /// An initial call has returned.
    static var beforeEndOfStart: Self { Self(number: 14) }
    /// A manual notification is open, and its lists have not been looked up.
    static var announcementOpen: Self { Self(number: 15) }
    /// The lists of a manual notification have been looked up.
    static var announcementBegun: Self { Self(number: 16) }
    /// A manual notification has ended, and its observers have not been called.
    static var announcementEnded: Self { Self(number: 17) }
    static var beforeEndOfBatch: Self { Self(number: 18) }
    /// The values at the end of a batch have been read, and no observer has been called.
    static var betweenReadAndCallsOfBatch: Self { Self(number: 19) }
    static var beforeJobHome: Self { Self(number: 20) }
    static var jobArrived: Self { Self(number: 21) }
    /// A thread has found out that a value has been changed elsewhere.
    static var changedElsewhere: Self { Self(number: 22) }
}
