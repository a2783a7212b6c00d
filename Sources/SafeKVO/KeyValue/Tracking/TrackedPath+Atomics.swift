extension ObserverList {
    /// Counts and reports a change of an atomic property, which any thread may make, for observers whose handlers belong to no isolation and
    /// are not `Sendable`; returns `false` if there are none.
    func refuseUnprotected(in phase: KeyValueEventHeader.Phase) -> Bool {
        if firstInfo(where: { $0.flags.isUnprotected }) == nil { return false }
        for info in infos() where info.flags.isUnprotected {
            if phase == .after || phase == .prior && info.flags.contains(.priorCall) { ObservationBroker.shared.refuseUnprotected(info) }
        }
        return true
    }
}

/// Keeps changes of atomic properties, which any thread may make, from observers whose handlers belong to no isolation and are not `Sendable`.
///
/// A registration of such a handler is refused if the key path reads an atomic property. So these observers registered before it did.
extension TrackedPath {
    /// Handles an event of a dependency; returns `false` if the event does not concern the key path.
    func dependencyChanged(_ info: ObservationInfo, _ event: EventPointer) -> Bool {
        // SAFETY: every event of a key path begins with the header, whatever the type of its value.
        let header = unsafe event.view(as: KeyValueEventHeader.self)
        // Through a registration with the flag `onlyByHand`, handle only manual notifications. Other registrations of this key path report
        // all other changes.
        if info.flags.contains(.onlyByHand), !header.pointee.isByHand { return false }
        if info.withList({ $0.isAtomic }), isTaken(info, event, header.pointee.phase) { return true }
        return react(info, event)
    }

    /// Counts and reports a change of an atomic property for such observers; returns `false` if there are none.
    ///
    /// If there are others, too, the change is a batch of its own, whose end calls only those. Otherwise, the key path is not evaluated, because
    /// its getters may use what the handlers use.
    @inline(never)
    private func isTaken(_ info: ObservationInfo, _ event: EventPointer, _ phase: KeyValueEventHeader.Phase) -> Bool {
        // The record keeps the list, even if another thread ends the last observation meanwhile.
        guard let record = activeRecord else { return false }
        defer { withExtendedLifetime(record) {} }
        if !list.refuseUnprotected(in: phase) { return false }
        if list.firstInfo(where: { !$0.flags.isUnprotected && !$0.isDependency }) != nil {
            ChangeBatch.run { _ = react(info, event) }
            return true
        }
        let open = withState { state in
            // The next change that may call the handlers evaluates the key path first.
            if state.isActive { state.isStale = true }
            return phase == .after ? takeOpenChange(of: info.list.word, &state) : nil
        }
        _ = consume open
        return true
    }
}
