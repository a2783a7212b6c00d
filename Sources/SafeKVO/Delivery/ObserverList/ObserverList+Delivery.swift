internal import CSafeKVO
internal import Synchronization

extension ObserverList {
    /// Delivers an event to the observers of this key, in order of registration.
    ///
    /// - Parameter cutoff: The newest serial number when the change began. Registrations with greater numbers are skipped, except those for
    ///   which `isLate(upTo:_:)` is `true` after the change.
    @inline(never)
    package func deliver(
        _ event: EventPointer, onlyPrior: Bool, upTo cutoff: UInt64, hearsLate: Bool, pinnedBy pin: borrowing EpochPins.Pin,
        box: (EventPointer) -> EventBox
    ) {
        pinned(by: pin) { chain in
            // After a change, also notify two kinds of registrations that are newer than `cutoff`: those of other threads, and key paths that
            // depend on this key.
            let present = onlyPrior ? cutoff : withRecord { $0.currentSerial }
            DeliveryFrame.run(Unretained(self)) { frame in
                chain.forEach { info in
                    if info.isLinked(after: cutoff), present == cutoff || !info.isLate(upTo: present, hearsLate) { return }
                    if onlyPrior, !info.wantsPriorCall, !info.isDependency { return }
                    frame.call(info)
                    ObservationBroker.shared.forward(event, to: info, box: box)
                }
            }
        }
    }

    /// Returns observers that other threads have registered during a change, and that may have got the old value in their initial call.
    package func lateInfos(after cutoff: UInt64) -> [ObservationInfo] {
        let present = withRecord { $0.currentSerial }
        return present == cutoff ? [] : infos().filter { !$0.isDependency && $0.isLinked(after: cutoff) && $0.isLate(upTo: present, true) }
    }

    func hasInfosOfOtherThreads(after cutoff: UInt64) -> Bool {
        if withRecord({ $0.currentSerial }) == cutoff { return false }
        return firstInfo { !$0.isDependency && $0.isLinked(after: cutoff) && $0.mayBeOfOtherThread } != nil
    }

    /// Delivers an event to those observers of this key for which `isMeant` returns `true`, and that are not too late, as in the other function.
    func deliver(
        _ event: EventPointer, upTo cutoff: UInt64, hearsLate: Bool, pinnedBy pin: borrowing EpochPins.Pin, box: (EventPointer) -> EventBox,
        where isMeant: (ObservationInfo) -> Bool
    ) {
        pinned(by: pin) { chain in
            let present = withRecord { $0.currentSerial }
            DeliveryFrame.run(Unretained(self)) { frame in
                chain.forEach { info in
                    if info.isLinked(after: cutoff), !info.isLate(upTo: present, hearsLate) { return }
                    if !isMeant(info) { return }
                    frame.call(info)
                    ObservationBroker.shared.forward(event, to: info, box: box)
                }
            }
        }
    }

    /// Delivers an event to the observers in several lists of one object, in order of registration.
    package static func deliver(
        _ event: EventPointer, to lists: [ObserverList?], upTo cutoff: UInt64, pinnedBy pin: borrowing EpochPins.Pin,
        box: (EventPointer) -> EventBox
    ) {
        guard let list = lists.lazy.compactMap({ $0 }).first else { return }
        DeliveryFrame.run(Unretained(list)) { frame in
            forEach(in: lists, pinnedBy: pin) { info in
                if info.isLinked(after: cutoff) { return }
                frame.call(info)
                ObservationBroker.shared.forward(event, to: info, box: box)
            }
        }
    }

    /// Leaves a mark to each observer if the change `number` is not the newest, so that a value that was read for it may be outdated.
    ///
    /// Must be called after that value has been read.
    @usableFromInline
    package func markUnlessNewest(_ number: UInt64) {
        if lastChange != number { pinned { chain in chain.forEach { $0.mark() } } }
    }

    /// Calls the handlers for which there is a mark.
    func handOver() {
        pinned { chain in
            chain.forEach { if InfoState($0.state.load(ordering: .relaxed)).isMarked { ObservationBroker.shared.handOver(to: $0) } }
        }
    }

    package var isEmpty: Bool { chain.isEmpty }

    package func firstInfo(where matches: (ObservationInfo) -> Bool) -> ObservationInfo? {
        var first: ObservationInfo?
        pinned { chain in chain.forEach { if first == nil, matches($0) { first = $0 } } }
        return first
    }

    /// `true` if the program itself, and not only the library, has registered observers in this list.
    var hasObservers: Bool {
        var hasObservers = false
        pinned { chain in chain.forEach { if !$0.isDependency { hasObservers = true } } }
        return hasObservers
    }

    package func infos() -> [ObservationInfo] {
        var all: [ObservationInfo] = []
        forEachInfo { all.append($0) }
        return all
    }

    func forEachInfo(_ body: (ObservationInfo) -> Void) { pinned { $0.forEach(body) } }
}

extension ObservationInfo {
    /// `true` if the observer gets a call before a change that begins now; what comes during an initial call is called only after it.
    final var wantsPriorCall: Bool { flags.contains(.priorCall) && !InfoState(state.load(ordering: .relaxed)).isStarting }
}
