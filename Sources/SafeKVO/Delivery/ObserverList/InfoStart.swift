internal import Synchronization

/// The events that wait for one info, in order of arrival; an *info* is one registration.
///
/// Events wait if they arrive before the initial call is over, or while another thread calls the observer. If the handler receives whole
/// values, only the newest event waits. So the handler receives the last value, however fast another thread changes it.
///
/// The record's lock guards this value.
struct InfoStart {
    let info: ObjectIdentifier
    private let keepsNewest: Bool

    private var events = WaitingEvents<EventBox>()
    /// The number of the waiting event, if only the newest event waits.
    private var newest: UInt64 = 0
    /// The number of events that are left of the present round.
    ///
    /// A round consists of the events that were waiting when the round before ended.
    private var remaining = 0
    private var round: UInt32 = 0

    init(_ info: ObservationInfo) {
        self.info = ObjectIdentifier(info)
        keepsNewest = info.flags.contains(.wholeValue) && !info.flags.contains(.hops) && info.flags.handlerKind != .sequence
    }

    /// Adds an event.
    ///
    /// - Parameters:
    ///   - event: The event. A nested change is newer than the change around it, and arrives before it.
    ///   - number: The number of the event's change.
    /// - Returns: The event that need not wait: this one, or the older one that it replaces. The caller releases it outside the lock.
    mutating func append(_ event: EventBox, _ number: UInt64) -> EventBox? {
        var older: EventBox?
        if keepsNewest {
            if events.count > 0, number != 0, number < newest { return event }
            older = events.popFirst()
            newest = number
        }
        events.append(event)
        return older
    }

    /// Adds an event that replaces all waiting events, or drops it if a newer one waits.
    ///
    /// - Returns: The events that need not wait. The caller releases them outside the lock.
    mutating func appendNewest(_ event: EventBox, _ number: UInt64) -> [EventBox] {
        if !isEmpty, number != 0, number < newest { return [event] }
        let older = takeAll()
        newest = number
        events.append(event)
        return older
    }

    /// Removes and returns all events.
    mutating func takeAll() -> [EventBox] {
        var all: [EventBox] = []
        while let event = events.popFirst() { all.append(event) }
        remaining = 0
        return all
    }

    var isEmpty: Bool { events.count == 0 }

    /// Removes and returns the event that has waited longest, with the number of its round.
    mutating func next() -> (event: EventBox, round: UInt32)? {
        if remaining == 0 {
            remaining = events.count
            round &+= 1
        }
        guard let event = events.popFirst() else { return nil }
        remaining = max(0, remaining - 1)
        return (event, round)
    }
}

/// The waiting events of registrations whose initial call is in progress.
extension ObservationRecord {
    /// Notes, before an info is linked into its list, that this thread is about to make the initial call.
    func beginStart(of info: ObservationInfo) {
        let start = InfoStart(info)
        lock.withLock { starts.append(start) }
    }

    /// Makes an event wait until the initial call of an info is over.
    ///
    /// The registering thread delivers the event later. No thread blocks here.
    ///
    /// - Returns: `false` if the initial call is already over, so that the caller must deliver the event itself.
    func postpone(_ event: EventBox, for info: ObservationInfo) -> Bool {
        let number = event.number
        let (isPostponed, older): (Bool, EventBox?) = lock.withLock {
            guard let index = starts.firstIndex(where: { $0.info == ObjectIdentifier(info) }) else { return (false, nil) }
            return (true, starts[index].append(event, number))
        }
        if older != nil { info.noteOvertaken() }
        return isPostponed
    }

    /// Removes and returns the next event that waits for an info, with the number of its delivery round.
    ///
    /// If no event waits, the function returns `nil` and marks the initial call as over.
    func nextWaiting(for info: ObservationInfo) -> (event: EventBox, round: UInt32)? {
        lock.withLock {
            guard let index = starts.firstIndex(where: { $0.info == ObjectIdentifier(info) }) else { return nil }
            if let next = starts[index].next() { return next }
            starts.remove(at: index)
            info.state.bitwiseAnd(~InfoState.starting, ordering: .acquiringAndReleasing)
            return nil
        }
    }
}
