internal import CSafeKVO
internal import Synchronization

/// The delivery of events to the infos of a list; an *info* is one registration.
extension ObserverList {
    // SAFETY: (of the references) The caller has pinned the record. The pin keeps the lists, and the infos that a delivery passes.

    /// Notifies all infos that were linked at the cutoff serial `limit` and still are, in order of registration.
    ///
    /// The record must be pinned.
    @inline(never)
    func deliver(
        _ event: EventPointer, onlyPrior: Bool, upTo limit: UInt32, hearsLate: Bool, box: (EventPointer) -> EventBox
    ) {
        withRecord { record in
            // Some infos were linked after the cutoff and must be notified all the same. A tracked key path that began to follow this key
            // must update itself, or it would go on following a replaced object. An observer that read the old value in its initial call
            // needs the new value.
            let present = onlyPrior ? limit : record.currentSerial
            unsafe DeliveryFrame.run(self) { frame in
                chain.forEach(lock: record.lock) { info in
                    if info.isLinked(after: limit), present == limit || !info.isLate(upTo: present, hearsLate) { return }
                    if onlyPrior, !info.flags.contains(.priorCall), !info.isDependency { return }
                    unsafe frame.pointee.info = Unretained(info)
                    ObservationBroker.shared.forward(event, to: info, box: box)
                }
            }
        }
    }

    /// Returns the observers that joined during the change, after a cutoff serial, and must still be notified of it.
    package final func lateInfos(after limit: UInt32) -> [ObservationInfo] {
        let present = withRecord { $0.currentSerial }
        return present == limit ? [] : infos().filter { !$0.isDependency && $0.isLinked(after: limit) && $0.isLate(upTo: present, true) }
    }

    /// Returns the observers that other threads registered after a cutoff serial, whatever their options are.
    func infosOfOtherThreads(after limit: UInt32) -> [ObservationInfo] {
        let thread = UInt32(truncatingIfNeeded: safekvo_thread())
        if withRecord({ $0.currentSerial }) == limit { return [] }
        return infos().filter { !$0.isDependency && $0.isLinked(after: limit) && $0.thread != thread }
    }

    /// Notifies those infos linked up to the cutoff serial `limit` for which a closure returns `true`.
    ///
    /// The record must be pinned.
    func deliver(
        _ event: EventPointer, upTo limit: UInt32, box: (EventPointer) -> EventBox, where isMeant: (ObservationInfo) -> Bool
    ) {
        withRecord { record in
            unsafe DeliveryFrame.run(self) { frame in
                chain.forEach(lock: record.lock) { info in
                    if info.isLinked(after: limit) || !isMeant(info) { return }
                    unsafe frame.pointee.info = Unretained(info)
                    ObservationBroker.shared.forward(event, to: info, box: box)
                }
            }
        }
    }

    /// Notifies the observers of several lists of one record as if they were in one list, in order of registration.
    ///
    /// The record must be pinned.
    ///
    /// - Parameters:
    ///   - event: A pointer to the event.
    ///   - lists: The lists.
    ///   - limit: The cutoff serial. Observers that were registered after it are not notified.
    ///   - box: Copies the event.
    ///   - isMeant: Returns `true` if an observer of the list with the given index must be notified.
    @inline(__always)
    static func deliver(
        _ event: EventPointer, to lists: [Unretained<ObserverList>], upTo limit: UInt32, box: (EventPointer) -> EventBox,
        where isMeant: (_ list: Int, ObservationInfo) -> Bool = { _, _ in true }
    ) {
        var cursors = lists.map { list in unsafe list.with { list in list.withRecord { list.chain.cursor(lock: $0.lock) } } }
        while true {
            var first: Int?
            for index in cursors.indices {
                guard let info = cursors[index].info else { continue }
                if let other = first.flatMap({ cursors[$0].info }), unsafe !info.with({ info in unsafe other.with { info.isBefore($0) } }) {
                    continue
                }
                first = index
            }
            guard let first, let info = cursors[first].info else { return }
            unsafe info.with { info in
                if !info.isLinked(after: limit), isMeant(first, info) { ObservationBroker.shared.forward(event, to: info, box: box) }
            }
            cursors[first].advance()
        }
    }

    /// `true` if the list has no observers.
    package final var isEmpty: Bool { chain.isEmpty }

    /// Returns the first info for which a closure returns `true`.
    package final func firstInfo(where matches: (ObservationInfo) -> Bool) -> ObservationInfo? {
        var first: ObservationInfo?
        record.pinned { chain.forEach(lock: record.lock) { if first == nil, matches($0) { first = $0 } } }
        return first
    }

    /// Returns the infos of the list, in order.
    package final func infos() -> [ObservationInfo] {
        var all: [ObservationInfo] = []
        record.pinned { chain.forEach(lock: record.lock) { all.append($0) } }
        return all
    }
}
