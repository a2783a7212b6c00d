internal import CSafeKVO
internal import Synchronization

extension ObserverList {
    // SAFETY: (of the references in this extension) the caller has pinned the record. A pinned record keeps its lists
    // and removed registrations in memory.

    /// Delivers an event to the registrations in this list, in order of registration.
    ///
    /// The caller must have pinned the record.
    ///
    /// - Parameters:
    ///   - onlyPrior: `true` to notify only the observers that registered for calls before a change.
    ///   - limit: The number of the newest registration when the change began.
    ///   - hearsLate: `true` to also notify observers that another thread registered during the change.
    @inline(never)
    func deliver(
        _ event: EventPointer, onlyPrior: Bool, upTo limit: UInt32, hearsLate: Bool, box: (EventPointer) -> EventBox
    ) {
        withRecord { record in
            // After the change, two kinds of registrations that are newer than `limit` are notified, too: an observer
            // whose initial call may have delivered the old value, and the library itself for a key path that depends
            // on this key.
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

    /// Returns the observers that registered during a change, after the serial number `limit`, and must be notified of
    /// the change.
    ///
    /// Their initial call may have delivered the old value.
    package final func lateInfos(after limit: UInt32) -> [ObservationInfo] {
        let present = withRecord { $0.currentSerial }
        return present == limit ? [] : infos().filter { !$0.isDependency && $0.isLinked(after: limit) && $0.isLate(upTo: present, true) }
    }

    func infosOfOtherThreads(after limit: UInt32) -> [ObservationInfo] {
        let thread = UInt32(truncatingIfNeeded: safekvo_thread())
        if withRecord({ $0.currentSerial }) == limit { return [] }
        return infos().filter { !$0.isDependency && $0.isLinked(after: limit) && $0.thread != thread }
    }

    /// Delivers an event to those registrations with a serial number up to `limit` for which `isMeant` returns `true`.
    ///
    /// The caller must have pinned the record.
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

    /// Delivers an event to the observers of several lists, in order of registration.
    ///
    /// The caller must have pinned the record of the lists.
    ///
    /// - Parameters:
    ///   - limit: The cutoff serial. Observers with a greater serial number are not notified.
    ///   - isMeant: Returns `true` if an observer must be notified. Its first argument is the index of the observer's
    ///     list in `lists`.
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

    /// Must be called after a value was read for the change with this serial number.
    ///
    /// If another thread has made a newer change, its value may have been read already, and an older one could be
    /// delivered last. So the next delivery reads the present value.
    @usableFromInline
    package final func noteRead(after number: UInt64) {
        if lastChange != number { readAgain() }
    }

    /// Makes the next delivery read the present value, for each observer whose handler takes values instead of changes.
    @inline(never)
    final func readAgain() {
        record.pinned {
            chain.forEach(lock: record.lock) { $0.readAgain() }
        }
    }

    package final var isEmpty: Bool { chain.isEmpty }

    package final func firstInfo(where matches: (ObservationInfo) -> Bool) -> ObservationInfo? {
        var first: ObservationInfo?
        record.pinned { chain.forEach(lock: record.lock) { if first == nil, matches($0) { first = $0 } } }
        return first
    }

    /// `true` if there is a registration other than those of dependent key paths.
    ///
    /// The caller must have pinned the record.
    final var hasObservers: Bool {
        var hasObservers = false
        withRecord { record in chain.forEach(lock: record.lock) { if !$0.isDependency { hasObservers = true } } }
        return hasObservers
    }

    package final func infos() -> [ObservationInfo] {
        var all: [ObservationInfo] = []
        record.pinned { chain.forEach(lock: record.lock) { all.append($0) } }
        return all
    }
}
