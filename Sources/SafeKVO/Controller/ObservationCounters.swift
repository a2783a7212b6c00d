internal import Synchronization

/// The numbers of a controller's calls, dropped deliveries and ignored requests.
public struct ObservationCounters: Hashable, Sendable {
    /// The number of handler calls.
    public var delivered: UInt64
    /// The number of deliveries that were dropped because the observer was deallocated.
    public var dropped: UInt64
    /// The number of changes that were made in the wrong isolation for a handler.
    ///
    /// The handler belongs to the main actor or to another actor, and the change was made outside that actor. The handler was not called.
    public var wrongIsolation: UInt64
    /// The number of values that were not delivered because a newer value had been delivered before.
    ///
    /// The newer value came from a nested change or from another thread. The values that a pause leaves out also count, except the newest
    /// of them.
    public var overtaken: UInt64
    /// The number of registrations that were ignored because the controller already had the observation.
    public var ignoredAdds: UInt64
    /// The number of removal requests that were ignored because no observation matched.
    public var ignoredRemoves: UInt64

    /// Makes counters, each of which is zero unless it is given.
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

    /// Returns the sums of two sets of counters.
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
    /// The sums of the counters of all deallocated controllers, in the whole process.
    ///
    /// A controller that is not deallocated counts for itself: ``ObservationController/counters``. So two controllers never share a counter
    /// while they work, and the process needs no table of controllers.
    public var counters: ObservationCounters {
        ObservationCounters(
            delivered: Self.totals.delivered.load(ordering: .relaxed), dropped: Self.totals.dropped.load(ordering: .relaxed),
            wrongIsolation: Self.totals.wrongIsolation.load(ordering: .relaxed), overtaken: Self.totals.overtaken.load(ordering: .relaxed),
            ignoredAdds: Self.totals.ignoredAdds.load(ordering: .relaxed),
            ignoredRemoves: Self.totals.ignoredRemoves.load(ordering: .relaxed))
    }

    /// Adds the counters of a controller that is being deallocated.
    func add(_ counters: ObservationCounters) {
        if counters.delivered > 0 { Self.totals.delivered.wrappingAdd(counters.delivered, ordering: .relaxed) }
        if counters.dropped > 0 { Self.totals.dropped.wrappingAdd(counters.dropped, ordering: .relaxed) }
        if counters.wrongIsolation > 0 { Self.totals.wrongIsolation.wrappingAdd(counters.wrongIsolation, ordering: .relaxed) }
        if counters.overtaken > 0 { Self.totals.overtaken.wrappingAdd(counters.overtaken, ordering: .relaxed) }
        if counters.ignoredAdds > 0 { Self.totals.ignoredAdds.wrappingAdd(counters.ignoredAdds, ordering: .relaxed) }
        if counters.ignoredRemoves > 0 { Self.totals.ignoredRemoves.wrappingAdd(counters.ignoredRemoves, ordering: .relaxed) }
    }
}
