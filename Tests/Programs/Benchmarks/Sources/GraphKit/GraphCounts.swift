public import CGraphs

/// Runs of getters and calls of handlers, for one write or one creation.
public struct GraphCounts: Equatable, Sendable, Codable {
    /// Runs of getters, which is to say of anything that computes a value from others.
    public let runs: Double
    /// Calls of handlers.
    public let calls: Double

    /// Counts while something happens, a number of times.
    static func of(_ times: Int, _ body: () -> Void) -> GraphCounts {
        graphs_begin_counting()
        body()
        graphs_end_counting()
        return GraphCounts(runs: Double(graphs_counted_runs()) / Double(times), calls: Double(graphs_counted_calls()) / Double(times))
    }

    /// Runs, then calls.
    var text: String { "\(runs.shortText)/\(calls.shortText)" }
}

extension Double {
    /// Without decimals where there are none.
    var shortText: String { self == rounded() ? String(Int(self)) : String(self) }
}

/// Stands at the beginning of each getter.
@inlinable
@inline(__always)
public func noteRun() { graphs_note_run() }

/// Stands in each handler.
@inlinable
@inline(__always)
public func noteCall() { graphs_note_call() }
