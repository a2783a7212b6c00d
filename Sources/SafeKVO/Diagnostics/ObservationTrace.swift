/// A recording of what happens to observations over time: who was called when, for how long, and for which change.
///
/// Start a trace, run what you want to look at, and write the trace to a file that [Perfetto](https://ui.perfetto.dev) or a browser's
/// `chrome://tracing` opens:
///
/// ```swift
/// let trace = ObservationTrace()
/// trace.start()
/// …
/// trace.stop()
/// try trace.chromeTrace.write(toFile: "observations.json", atomically: true, encoding: .utf8)
/// ```
///
/// It hears of the observations that are added while it records, and of those that are there already if their controllers were made while
/// ``ObservationDiagnostics/isRecording`` was true. Changes that nobody observes are not in it. It keeps none of the program's objects alive.
/// It can be used from any thread; several can record at the same time. A program that records none pays nothing.
public final class ObservationTrace: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) what changes belongs to `lock`.

    private let lock = Lock()
    private var recorded: [ObservationLogEntry] = []
    private var omittedEntries = 0
    private let limit: Int

    /// Makes a trace that records nothing yet.
    ///
    /// - Parameter limit: The greatest number of entries that it keeps. What comes later is counted only: ``omitted``.
    public init(limit: Int = 1_000_000) {
        self.limit = limit
    }

    /// Begins to record, or goes on.
    ///
    /// The trace is kept alive until ``stop()``. A trace that records already goes on.
    public func start() {
        ObservationDiagnostics.traces.add(self)
    }

    /// Ends the recording.
    ///
    /// The recorded entries stay, and ``start()`` goes on.
    ///
    /// A call that another thread has begun may still be added.
    public func stop() {
        ObservationDiagnostics.traces.remove(self)
    }

    /// The recorded entries, in the order in which they ended.
    public var entries: [ObservationLogEntry] { lock.withLock { recorded } }

    /// The number of entries that were not kept, because there were too many.
    public var omitted: Int { lock.withLock { omittedEntries } }

    func append(_ entry: ObservationLogEntry) {
        lock.withLock { if recorded.count < limit { recorded.append(entry) } else { omittedEntries += 1 } }
    }
}

/// The traces of the process that are being recorded.
final class RunningTraces: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) what changes belongs to `lock`.

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
        // The trace is released by the caller, who holds it, and not under the lock.
        lock.withLock {
            running.removeAll { $0 === trace }
            if running.isEmpty { ObservationDiagnostics.setSwitch(ObservationDiagnostics.tracing, false) }
        }
    }
}
