public import BenchmarkKit

/// An observer: it shows the values of a graph, each in a slot.
public final class GraphView: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything happens on one thread.
    private(set) var slots: [GraphSlot] = []

    /// Makes an observer that shows nothing yet.
    public init() {}

    /// Adds a slot.
    func makeSlot(isBusy: Bool = false) -> GraphSlot {
        let slot = GraphSlot(isBusy: isBusy)
        slots.append(slot)
        return slot
    }

    /// Shows a value: this is all that a handler does.
    @inlinable
    public func show(_ value: Int, in slot: GraphSlot) {
        noteCall()
        slot.last = value
        if slot.isBusy { workHard() }
    }
}

/// One value that an observer shows.
public final class GraphSlot: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything happens on one thread.
    /// The value that it was shown last.
    public final var last = Int.min
    /// Its handler works hard.
    public let isBusy: Bool

    init(isBusy: Bool) {
        self.isBusy = isBusy
    }
}

/// Work that takes a while: a hundred steps, as in the original.
@inlinable
public func workHard() {
    for _ in 0..<100 { fence() }
}
