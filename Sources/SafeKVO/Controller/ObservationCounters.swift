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
