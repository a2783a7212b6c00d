/// A recording of observation events over time, such as handler calls.
///
/// Start a trace, run the code that interests you, and write the trace to a file. [Perfetto](https://ui.perfetto.dev) and the
/// browser page `chrome://tracing` can open the file:
///
/// ```swift
/// let trace = ObservationTrace()
/// trace.start()
/// …
/// trace.stop()
/// try trace.chromeTrace.write(
///     toFile: "observations.json", atomically: true, encoding: .utf8)
/// ```
///
/// A trace records observations that are added after ``start()``. It also records older observations if
/// ``ObservationDiagnostics/isRecording`` was `true` when their controllers were made. It does not record changes without
/// observers.
///
/// A trace retains no object of the program. It can be used from any thread, and several traces can record at the same time. If
/// no trace records, tracing costs nothing.
public final class ObservationTrace: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) All mutable state is protected by `lock`.

    private let lock = Lock()
    private var recorded: [ObservationLogEntry] = []
    private var omittedEntries = 0
    private let limit: Int

    /// Makes a trace that does not record yet.
    ///
    /// - Parameter limit: The greatest number of entries that the trace keeps. Later entries are only counted, in ``omitted``.
    public init(limit: Int = 1_000_000) {
        self.limit = limit
    }

    /// Starts or continues to record.
    ///
    /// While it records, the trace is retained by the library. If the trace already records, this function does nothing.
    public func start() {
        ObservationDiagnostics.traces.add(self)
    }

    /// Stops recording.
    ///
    /// The recorded entries are kept, and ``start()`` can continue the recording. A call that is running on another thread may
    /// still add its entry.
    public func stop() {
        ObservationDiagnostics.traces.remove(self)
    }

    /// The recorded entries, in the order in which the recorded events ended.
    public var entries: [ObservationLogEntry] { lock.withLock { recorded } }

    /// The number of entries that were dropped because the limit was reached.
    public var omitted: Int { lock.withLock { omittedEntries } }

    func append(_ entry: ObservationLogEntry) {
        lock.withLock { if recorded.count < limit { recorded.append(entry) } else { omittedEntries += 1 } }
    }
}

final class RunningTraces: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) All mutable state is protected by `lock`.

    private let lock = Lock()
    private var running: [ObservationTrace] = []

    func append(_ entry: ObservationLogEntry) {
        for trace in lock.withLock({ running }) { trace.append(entry) }
    }

    func add(_ trace: ObservationTrace) {
        lock.withLock {
            if !running.contains(where: { $0 === trace }) { running.append(trace) }
            ObservationDiagnostics.setSwitch(ObservationDiagnostics.tracing, true)
        }
        ObservationDiagnostics.logKnownControllers()
    }

    func remove(_ trace: ObservationTrace) {
        // No trace is deallocated under the lock, because the caller retains `trace`.
        lock.withLock {
            running.removeAll { $0 === trace }
            if running.isEmpty { ObservationDiagnostics.setSwitch(ObservationDiagnostics.tracing, false) }
        }
    }
}
