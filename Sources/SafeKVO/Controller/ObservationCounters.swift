internal import Synchronization

/// What became of the callbacks and requests of a controller.
public struct ObservationCounters: Hashable, Sendable {
    /// Calls made.
    public var delivered: UInt64
    /// Callbacks that found the observer deallocated.
    public var dropped: UInt64
    /// Changes made outside the isolation of a handler, the main actor's or another.
    ///
    /// The handler was not run.
    public var wrongIsolation: UInt64
    /// Values that were not handed over because a newer one had been: by a nested change, or by another thread.
    ///
    /// Of the values that a pause leaves out, all but the newest count, too.
    public var overtaken: UInt64
    /// Registrations of what was observed already.
    public var ignoredAdds: UInt64
    /// Removals of what was not observed.
    public var ignoredRemoves: UInt64

    /// Makes counters, all zero unless given.
    public init(
        delivered: UInt64 = 0, dropped: UInt64 = 0, wrongIsolation: UInt64 = 0, overtaken: UInt64 = 0, ignoredAdds: UInt64 = 0,
        ignoredRemoves: UInt64 = 0
    ) {
        self.delivered = delivered
        self.dropped = dropped
        self.wrongIsolation = wrongIsolation
        self.overtaken = overtaken
        self.ignoredAdds = ignoredAdds
        self.ignoredRemoves = ignoredRemoves
    }

    /// The sum of two sets of counters.
    public static func + (left: Self, right: Self) -> Self {
        Self(
            delivered: left.delivered &+ right.delivered, dropped: left.dropped &+ right.dropped,
            wrongIsolation: left.wrongIsolation &+ right.wrongIsolation, overtaken: left.overtaken &+ right.overtaken,
            ignoredAdds: left.ignoredAdds &+ right.ignoredAdds, ignoredRemoves: left.ignoredRemoves &+ right.ignoredRemoves)
    }
}

extension ObservationCounters: CustomStringConvertible {
    /// All counters in one line.
    public var description: String {
        "delivered \(delivered), dropped \(dropped), wrongIsolation \(wrongIsolation), overtaken \(overtaken), "
            + "ignored adds \(ignoredAdds), ignored removes \(ignoredRemoves)"
    }
}

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
