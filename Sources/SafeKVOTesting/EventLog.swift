/// A list of events in the order in which they happened, which a test compares as a whole.
///
/// ```swift
/// let log = EventLog<String>()
/// observations.observe(clock, \.hour) { _, hour in log.append("hour \(hour)") }
/// clock.hour = 7
/// try log.expect(["hour 0", "hour 7"])
/// ```
///
/// Any thread may append events. Unlike a comparison of the last value, a comparison of the whole list finds a superfluous call and a call
/// in the wrong order.
public final class EventLog<Event: Equatable & Sendable>: Sendable {
    private let storage = Guarded<[Event]>([])

    /// Makes an empty log.
    public init() {}

    /// Appends an event.
    public func append(_ event: Event) {
        storage.withLock { $0.append(event) }
    }

    /// All events in the log.
    public var events: [Event] {
        storage.withLock { $0 }
    }

    /// Removes and returns all events.
    @discardableResult
    public func removeAll() -> [Event] {
        storage.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// Compares all events in the log with the expected events, and empties the log.
    ///
    /// - Throws: An ``EventLogMismatch`` that shows both lists, if they differ.
    public func expect(_ expected: [Event], fileID: StaticString = #fileID, line: UInt = #line) throws(EventLogMismatch) {
        let actual = removeAll()
        if actual == expected { return }
        throw EventLogMismatch(
            expected: expected.map { "\($0)" }, actual: actual.map { "\($0)" }, position: "\(fileID):\(line)")
    }
}

/// An error that shows two lists of events that differ.
public struct EventLogMismatch: Error, CustomStringConvertible {
    /// The expected events.
    public let expected: [String]
    /// The events that happened.
    public let actual: [String]
    /// The file and the line of the call of ``EventLog/expect(_:fileID:line:)`` that failed.
    public let position: String

    /// A text that compares the expected and the actual events, from the first difference on.
    public var description: String {
        let start = zip(expected, actual).prefix { $0 == $1 }.count
        var lines = ["\(position): `EventLog.expect(_:)` failed from event \(start) on (expected \(expected.count), got \(actual.count)):"]
        for index in start..<max(expected.count, actual.count) {
            let wanted = index < expected.count ? expected[index] : "nothing"
            let got = index < actual.count ? actual[index] : "nothing"
            lines.append("  \(index): expected \(wanted), got \(got)")
        }
        return lines.joined(separator: "\n")
    }
}
