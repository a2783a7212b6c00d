internal import Synchronization

/// Counters of a controller's handler calls, dropped deliveries and ignored requests.
public struct ObservationCounters: Hashable, Sendable {
    /// The number of handler calls.
    public var delivered: UInt64
    /// The number of notifications that were dropped because the observer was deallocated.
    public var dropped: UInt64
    /// The number of changes that were not delivered because they were made in the wrong isolation.
    ///
    /// The handler was registered on an actor, such as the main actor, and the change was made outside that actor. If the change was of
    /// an atomic property, or of a manually notified one that a computed or nested key path reads, this counts only handlers of changes
    /// without `on:`. All others are called later.
    public var wrongIsolation: UInt64
    /// The number of values that were not delivered because a newer value had been delivered before.
    ///
    /// The newer value came from a nested change or from another thread. The number includes the values that were set during a pause,
    /// except the newest.
    public var overtaken: UInt64
    /// The number of registrations that were ignored because the controller already had the observation.
    public var ignoredAdds: UInt64
    /// The number of removal requests for which no observation was found.
    public var ignoredRemoves: UInt64

    /// Makes counters; a counter that is not given is zero.
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

    package static func + (left: Self, right: Self) -> Self {
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
    static let totals = AtomicCounters()

    /// The sums of the counters of all deallocated controllers in the process.
    ///
    /// They do not include the counters of living controllers, which are in ``ObservationControllerBase/counters``.
    public var counters: ObservationCounters { Self.totals.present }
}

extension AtomicCounters {
    var present: ObservationCounters {
        func load(_ counter: borrowing Atomic<UInt64>) -> UInt64 { counter.load(ordering: .relaxed) }
        guard let seldom = seldomIfUsed else { return ObservationCounters(delivered: load(delivered)) }
        return ObservationCounters(
            delivered: load(delivered), dropped: load(seldom.dropped), wrongIsolation: load(seldom.wrongIsolation),
            overtaken: load(seldom.overtaken), ignoredAdds: load(seldom.ignoredAdds), ignoredRemoves: load(seldom.ignoredRemoves))
    }

    func add(_ counters: ObservationCounters) {
        // Skip zeros: each write to a counter that all threads share slows the other threads.
        func add(_ number: UInt64, to counter: borrowing Atomic<UInt64>) { if number > 0 { counter.count(number) } }
        add(counters.delivered, to: delivered)
        if counters == ObservationCounters(delivered: counters.delivered) { return }
        let seldom = seldom
        add(counters.dropped, to: seldom.dropped)
        add(counters.wrongIsolation, to: seldom.wrongIsolation)
        add(counters.overtaken, to: seldom.overtaken)
        add(counters.ignoredAdds, to: seldom.ignoredAdds)
        add(counters.ignoredRemoves, to: seldom.ignoredRemoves)
    }
}
