internal import SafeKVO

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
/// `ObservationDiagnostics.isRecording` was `true` when their controllers were made. It does not record changes without
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
        ObservationLog.traces.add(self)
    }

    /// Stops recording.
    ///
    /// The recorded entries are kept, and ``start()`` can continue the recording. A call that is running on another thread may
    /// still add its entry.
    public func stop() {
        ObservationLog.traces.remove(self)
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
            ObservationLog.setSwitch(DiagnosticsHook.tracing, true)
        }
        ObservationLog.logKnownControllers()
    }

    func remove(_ trace: ObservationTrace) {
        // The caller retains `trace`, so no trace is deallocated under the lock.
        lock.withLock {
            running.removeAll { $0 === trace }
            if running.isEmpty { ObservationLog.setSwitch(DiagnosticsHook.tracing, false) }
        }
    }
}

extension ObservationTrace {
    /// The trace as JSON, in Chrome's trace-event format.
    ///
    /// Each thread has a row. Each change is a bar that lasts as long as the calls of its observers. The bars of these calls lie below it.
    /// Changes that a handler makes lie below the call of that handler. Registrations, enqueued and dropped calls, and ends of observations
    /// are shown as marks. Each entry names the observer, the class and property of the observed object, and the source line of the
    /// registration.
    ///
    /// - Complexity: O(*n* log *n*) for *n* entries.
    public var chromeTrace: String {
        let entries = entries
        let start = entries.map(\.time).min()
        let events = ChromeEvents(entries, since: start ?? .now)
        return "{\"traceEvents\":[\n" + events.lines.joined(separator: ",\n") + "\n],\"displayTimeUnit\":\"ns\"}\n"
    }
}

/// Converts the entries of a trace to JSON lines in the format of Chrome's trace viewer.
private struct ChromeEvents {
    private(set) var lines: [String] = []
    private let start: ContinuousClock.Instant
    private var rows: [UInt: Int] = [:]

    init(_ entries: [ObservationLogEntry], since start: ContinuousClock.Instant) {
        self.start = start
        for change in changes(of: entries) { add(change) }
        for entry in entries { add(entry) }
    }

    private func changes(of entries: [ObservationLogEntry]) -> [[ObservationLogEntry]] {
        let calls = Dictionary(grouping: entries.filter { $0.change != nil }, by: { $0.change ?? 0 })
        return calls.sorted { $0.key < $1.key }.map(\.value)
    }

    private mutating func add(_ calls: [ObservationLogEntry]) {
        guard let first = calls.first, let observation = first.observation else { return }
        let begin = calls.map(\.time).min() ?? first.time
        let end = calls.map { $0.time.advanced(by: $0.duration ?? .zero) }.max() ?? begin
        let name = "\(observation.subjectType).\(observation.name)"
        addEvent(
            name, "change", "X", at: begin, first.thread, [("dur", microseconds(begin.duration(to: end)))], ["calls": "\(calls.count)"])
    }

    private mutating func add(_ entry: ObservationLogEntry) {
        var details = ["line": "\(entry.position)"]
        if let observation = entry.observation {
            details["observer"] = observation.observerType
            details["observed"] = "\(observation.subjectType).\(observation.name)"
            if let tag = observation.tag { details["tag"] = "\(tag)" }
        }
        let what = entry.observation.map { "\($0.observerType) observes \($0.subjectType).\($0.name)" } ?? "\(entry.position)"
        if let duration = entry.duration {
            addEvent(what, entry.label.category, "X", at: entry.time, entry.thread, [("dur", microseconds(duration))], details)
        } else {
            addEvent("\(entry.label.title): \(what)", entry.label.category, "i", at: entry.time, entry.thread, [("s", "\"t\"")], details)
        }
    }

    private mutating func addEvent(
        _ name: String, _ category: String, _ phase: String, at time: ContinuousClock.Instant, _ thread: UInt, _ fields: [(String, String)],
        _ details: [String: String]
    ) {
        let row = row(of: thread)
        let fixed = [
            ("name", Self.quoted(name)), ("cat", Self.quoted(category)), ("ph", Self.quoted(phase)),
            ("ts", microseconds(start.duration(to: time))), ("pid", "1"), ("tid", "\(row)"),
        ]
        let details = details.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)):\(Self.quoted($0.value))" }.joined(separator: ",")
        let text = (fixed + fields + [("args", "{\(details)}")]).map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
        lines.append("{\(text)}")
    }

    private mutating func row(of thread: UInt) -> Int {
        if let row = rows[thread] { return row }
        let row = rows.count + 1
        rows[thread] = row
        lines.append("{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":\(row),\"args\":{\"name\":\"Thread \(row)\"}}")
        return row
    }

    private func microseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let rest = "\(nanoseconds % 1000)"
        return "\(nanoseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension ObservationLogEntry {
    fileprivate var label: (title: String, category: String) {
        switch event {
        case .added: ("added", "registration")
        case .replaced: ("replaced", "registration")
        case .ignored: ("ignored", "registration")
        case .refused(let refusal): ("refused, \(refusal)", "registration")
        case .delivered: ("delivered", "call")
        case .leftOut: ("left out", "left out")
        case .enqueued: ("enqueued for its isolation", "hop")
        case .dropped: ("dropped", "drop")
        case .wrongIsolation: ("wrong isolation", "drop")
        case .ended(let reason): ("ended, \(reason)", "end")
        }
    }
}
