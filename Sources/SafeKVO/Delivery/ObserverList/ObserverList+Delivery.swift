internal import CSafeKVO
internal import Synchronization

/// Delivering to the infos of a list, and looking at them.
extension ObserverList {
    // SAFETY: (of the references) whoever delivers has pinned the record, which keeps the lists and the infos that it passes.

    /// Calls, in order of registration, everybody who was there at `limit` and still is.
    ///
    /// The record must be pinned.
    @inline(never)
    func deliver(
        _ event: EventPointer, onlyPrior: Bool, upTo limit: UInt32, hearsLate: Bool, box: (EventPointer) -> EventBox
    ) {
        withRecord { record in
            // Who has come since that was settled: a path that began to depend on this must hear of it, lest it follow what has gone, and so
            // must who may have read the old value as its initial one.
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

    /// Who has come between two moments and must hear of the change in between.
    package final func lateInfos(after limit: UInt32) -> [ObservationInfo] {
        let present = withRecord { $0.currentSerial }
        return present == limit ? [] : infos().filter { !$0.isDependency && $0.isLinked(after: limit) && $0.isLate(upTo: present, true) }
    }

    /// Who else has come on another thread since a moment, whatever it asked for.
    func infosOfOtherThreads(after limit: UInt32) -> [ObservationInfo] {
        let thread = UInt32(truncatingIfNeeded: safekvo_thread())
        if withRecord({ $0.currentSerial }) == limit { return [] }
        return infos().filter { !$0.isDependency && $0.isLinked(after: limit) && $0.thread != thread }
    }

    /// Calls those of the infos that are linked up to `limit` that the caller picks.
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

    /// Calls the observers of several lists of one record as if they hung in one, in order of registration.
    ///
    /// The record must be pinned.
    ///
    /// - Parameters:
    ///   - event: A pointer to the event.
    ///   - lists: The lists.
    ///   - limit: The serial number of the last observer that is called.
    ///   - box: Makes a copy of the event.
    ///   - isMeant: Whether to call an observer of the list with an index.
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

    /// Whether nobody observes this.
    package final var isEmpty: Bool { chain.isEmpty }

    /// The first info that matches.
    package final func firstInfo(where matches: (ObservationInfo) -> Bool) -> ObservationInfo? {
        var first: ObservationInfo?
        record.pinned { chain.forEach(lock: record.lock) { if first == nil, matches($0) { first = $0 } } }
        return first
    }

    /// The infos that hang here, in order.
    package final func infos() -> [ObservationInfo] {
        var all: [ObservationInfo] = []
        record.pinned { chain.forEach(lock: record.lock) { all.append($0) } }
        return all
    }
}
