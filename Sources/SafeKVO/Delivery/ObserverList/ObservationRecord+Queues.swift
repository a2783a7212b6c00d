internal import Synchronization

/// Pauses, and the events that wait in a queue: those of a registration's initial call, and those of a sequence that another thread is filling.
extension ObservationRecord {
    /// Pauses a registration, so that a change leaves a mark or is dropped until `ObservationInfo.resume()`.
    func pause(_ info: ObservationInfo) {
        lock.withLock {
            if InfoState(info.state.load(ordering: .relaxed)).isPaused { return }
            // The order of these stores matters. Each change notes `serial` when it begins, and a delivery that finds the bit `paused`
            // compares the noted number with the pause's number. So store the pause's number before the bit. Store `serial` after the bit:
            // a change that notes the new `serial` began after the pause, so its deliveries must find the bit.
            let number = info.decidesOnPauses ? nextSerial : nil
            if let number { info.notePause(at: number) }
            info.state.bitwiseOr(InfoState.paused, ordering: .acquiringAndReleasing)
            if let number { serial.store(number, ordering: .releasing) }
        }
    }

    /// Adds an event to the queue of a registration.
    ///
    /// - Parameter ifStarting: `true` to add the event only if the registration's initial call has not ended.
    /// - Returns: `false` if the event was not added, so that the caller must deliver it.
    @inline(never)
    func queue(_ event: EventBox, for info: ObservationInfo, ifStarting: Bool) -> Bool {
        lock.withLock {
            if ifStarting, !InfoState(info.state.load(ordering: .relaxed)).isStarting { return false }
            seldom.queues[Unretained(info).word, default: []].append(event)
            return true
        }
    }

    /// Removes and returns the queue of a registration, in order of arrival.
    func takeQueue(of info: ObservationInfo) -> [EventBox] {
        lock.withLock { seldomIfUsed?.queues.removeValue(forKey: Unretained(info).word) } ?? []
    }

    /// Marks the initial call of a registration as ended; returns `false` if something has come during the call that must be delivered first.
    ///
    /// A mark may stay if a job at home will deliver it. Other threads might leave marks for ever.
    func endStart(of info: ObservationInfo) -> Bool {
        lock.withLock {
            let state = InfoState(info.state.load(ordering: .relaxed))
            if seldomIfUsed?.queues[Unretained(info).word] != nil { return false }
            guard !state.isMarked || state.isPaused || state.isExpectedAtHome else { return false }
            info.state.bitwiseAnd(~InfoState.starting, ordering: .acquiringAndReleasing)
            return true
        }
    }
}
