internal import Synchronization

/// The events that wait for one registration, in order of arrival.
///
/// An event waits if it arrives before the observer's initial call is over, or while another thread calls the observer. If the handler
/// receives whole values, only the newest event waits. So the handler gets the last value even if another thread changes the value faster
/// than the handler runs.
///
/// The lock of the observation record guards this value.
struct InfoStart {
    let info: ObjectIdentifier
    private let keepsNewest: Bool

    private var events = WaitingEvents<EventBox>()
    /// The serial number of the waiting event's change, if only the newest event waits.
    private var newest: UInt64 = 0
    /// The number of events that the current round must still deliver.
    ///
    /// When a round is over, the next one consists of all events that wait then.
    private var remaining = 0
    private var round: UInt32 = 0

    init(_ info: ObservationInfo) {
        self.info = ObjectIdentifier(info)
        keepsNewest = info.flags.contains(.wholeValue) && !info.flags.contains(.hops) && info.flags.handlerKind != .sequence
    }

    /// Adds an event.
    ///
    /// - Parameters:
    ///   - event: The event. The event of a nested change arrives before that of the outer change, although the nested change is newer.
    ///   - number: The serial number of the event's change, or zero if it has none.
    /// - Returns: An event that must not be delivered: the given one or the older one that it replaces. The caller releases it outside the
    ///   lock.
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

    /// Replaces all waiting events by the given one, unless a newer event waits.
    ///
    /// - Returns: The events that must not be delivered: the replaced ones, or else the given one. The caller releases them outside the
    ///   lock.
    mutating func appendNewest(_ event: EventBox, _ number: UInt64) -> [EventBox] {
        if !isEmpty, number != 0, number < newest { return [event] }
        let older = takeAll()
        newest = number
        events.append(event)
        return older
    }

    mutating func takeAll() -> [EventBox] {
        var all: [EventBox] = []
        while let event = events.popFirst() { all.append(event) }
        remaining = 0
        return all
    }

    var isEmpty: Bool { events.count == 0 }

    /// Removes and returns the event that has waited longest, or returns `nil` if none waits.
    ///
    /// A round consists of all events that wait when it begins; `round` is its number.
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

extension ObservationRecord {
    /// Makes all events for a registration wait from now on, because this thread is about to make the initial call.
    func beginStart(of info: ObservationInfo) {
        let start = InfoStart(info)
        lock.withLock { starts.append(start) }
    }

    /// Makes an event wait until the initial call of a registration is over.
    ///
    /// The calling thread does not wait.
    ///
    /// - Returns: `false` if the initial call is already over. Then the event does not wait, and the caller must deliver it.
    func postpone(_ event: EventBox, for info: ObservationInfo) -> Bool {
        let number = event.number
        let (isPostponed, older): (Bool, EventBox?) = lock.withLock {
            guard let index = starts.firstIndex(where: { $0.info == ObjectIdentifier(info) }) else { return (false, nil) }
            return (true, starts[index].append(event, number))
        }
        if older != nil { info.noteOvertaken() }
        return isPostponed
    }

    /// Removes and returns the next event that waits for a registration, with the number of its delivery round.
    ///
    /// A round consists of all events that wait when it begins. If no event waits, the function returns `nil` and marks
    /// the initial call as over.
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
