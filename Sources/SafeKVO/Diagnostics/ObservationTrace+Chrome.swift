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
            let category = entry.event == .leftOut ? "left out" : "call"
            addEvent(what, category, "X", at: entry.time, entry.thread, [("dur", microseconds(duration))], details)
        } else {
            addEvent("\(entry.title): \(what)", entry.category, "i", at: entry.time, entry.thread, [("s", "\"t\"")], details)
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
    fileprivate var title: String {
        switch event {
        case .added: "added"
        case .replaced: "replaced"
        case .ignored: "ignored"
        case .refused(let refusal): "refused, \(refusal)"
        case .delivered: "delivered"
        case .leftOut: "left out"
        case .enqueued: "enqueued for its isolation"
        case .dropped: "dropped"
        case .wrongIsolation: "wrong isolation"
        case .ended(let reason): "ended, \(reason)"
        }
    }

    fileprivate var category: String {
        switch event {
        case .added, .replaced, .ignored, .refused: "registration"
        case .delivered: "call"
        case .leftOut: "left out"
        case .enqueued: "hop"
        case .dropped, .wrongIsolation: "drop"
        case .ended: "end"
        }
    }
}
