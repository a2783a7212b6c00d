internal import Synchronization

extension ObservationBroker {
    /// What became of the callbacks of all controllers that have ended, in the whole process.
    ///
    /// A living controller counts for itself: ``ObservationController/counters``. There is no table of controllers to sum over, and no
    /// counter that two of them share while they work.
    public var counters: ObservationCounters {
        ObservationCounters(
            delivered: Self.totals.delivered.load(ordering: .relaxed), dropped: Self.totals.dropped.load(ordering: .relaxed),
            wrongIsolation: Self.totals.wrongIsolation.load(ordering: .relaxed), overtaken: Self.totals.overtaken.load(ordering: .relaxed),
            ignoredAdds: Self.totals.ignoredAdds.load(ordering: .relaxed),
            ignoredRemoves: Self.totals.ignoredRemoves.load(ordering: .relaxed))
    }

    /// Adds the counters of a controller that has ended.
    func add(_ counters: ObservationCounters) {
        if counters.delivered > 0 { Self.totals.delivered.wrappingAdd(counters.delivered, ordering: .relaxed) }
        if counters.dropped > 0 { Self.totals.dropped.wrappingAdd(counters.dropped, ordering: .relaxed) }
        if counters.wrongIsolation > 0 { Self.totals.wrongIsolation.wrappingAdd(counters.wrongIsolation, ordering: .relaxed) }
        if counters.overtaken > 0 { Self.totals.overtaken.wrappingAdd(counters.overtaken, ordering: .relaxed) }
        if counters.ignoredAdds > 0 { Self.totals.ignoredAdds.wrappingAdd(counters.ignoredAdds, ordering: .relaxed) }
        if counters.ignoredRemoves > 0 { Self.totals.ignoredRemoves.wrappingAdd(counters.ignoredRemoves, ordering: .relaxed) }
    }
}
