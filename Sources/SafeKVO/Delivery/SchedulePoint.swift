#if SAFEKVO_SCHEDULE_POINTS
    internal import CSafeKVO
#endif

/// A place at which a test may make a thread wait, so that other threads go first.
///
/// Two threads seldom meet in the few instructions between two steps of a protocol. If the library is built with the flag
/// `SAFEKVO_SCHEDULE_POINTS`, a thread that passes such a place gives the processor away now and then, as a seed decides. Without the flag,
/// which nobody but a test sets, to pass a place does nothing and costs nothing.
package enum SchedulePoint: UInt32, CaseIterable {
    /// A call has been counted, and the thread has not looked yet whether it may make the call.
    case afterEnter
    /// The handler has returned, and its call is still counted.
    case beforeLeave
    /// An observation is about to be marked as removed.
    case beforeRemoval
    /// An observation has been marked as removed, and is still in its list.
    case beforeUnlink
    /// An observation has left its list, and nothing of it has been released.
    case afterUnlink
    /// What an observation keeps is about to be released.
    case beforeRelease
    /// A walk goes to the next registration of a chain.
    case chainStep
    case afterPin
    case beforeUnpin
    /// A value has been written, and its change has got its number.
    case afterNumber
    /// A thread asks for the right to evaluate a key path.
    case beforeTurn
    case beforePassingTurn
    /// A key path is about to be linked to a property that its getter reads.
    case beforeLink
    /// A registration is in the controller's set, and is not in the list yet.
    case beforeRegistration
    /// An initial call has returned.
    case beforeEndOfStart
    /// A manual notification is open, and its lists have not been looked up.
    case announcementOpen
    /// The lists of a manual notification have been looked up.
    case announcementBegun
    /// A manual notification has ended, and its observers have not been called.
    case announcementEnded
    case beforeEndOfBatch
    /// The values at the end of a batch have been read, and no observer has been called.
    case betweenReadAndCallsOfBatch
    case beforeJobHome
    case jobArrived
    /// A thread has found out that a value has been changed elsewhere.
    case changedElsewhere

    /// `true` if the library was built with schedule points.
    package static var areOn: Bool {
        #if SAFEKVO_SCHEDULE_POINTS
            true
        #else
            false
        #endif
    }

    @inline(__always)
    package static func pass(_ place: SchedulePoint) {
        #if SAFEKVO_SCHEDULE_POINTS
            safekvo_pass_schedule_point(place.rawValue)
        #endif
    }

    /// Lets a seed decide from now on where threads wait.
    package static func begin(seed: UInt64) {
        #if SAFEKVO_SCHEDULE_POINTS
            safekvo_seed_schedule(seed)
        #endif
    }

    /// Gives the thread a number, so that its decisions follow from the seed and that number.
    package static func begin(thread: Int) {
        #if SAFEKVO_SCHEDULE_POINTS
            safekvo_seed_thread(UInt64(truncatingIfNeeded: thread))
        #endif
    }
}
