/// A record of what happened, in order, to be compared as a whole.
///
/// ```swift
/// let log = EventLog<String>()
/// observations.observe(clock, \.hour) { _, hour in log.append("hour \(hour)") }
/// clock.hour = 7
/// try log.expect(["hour 0", "hour 7"])
/// ```
///
/// It may be appended to from any thread. Comparing whole histories finds the call too many and the call out of order, which a test that looks
/// at the last value does not.
public final class EventLog<Event: Equatable & Sendable>: Sendable {
    private let storage = Guarded<[Event]>([])

    /// Makes an empty log.
    public init() {}

    /// Adds an event at the end.
    public func append(_ event: Event) {
        storage.withLock { $0.append(event) }
    }

    /// What happened so far.
    public var events: [Event] {
        storage.withLock { $0 }
    }

    /// Takes out what happened so far.
    ///
    /// - Returns: the events that were in the log.
    @discardableResult
    public func removeAll() -> [Event] {
        storage.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// Compares everything that happened with what should have happened, and empties the log.
    ///
    /// - Parameters:
    ///   - expected: The whole history.
    ///   - fileID: Where this is called.
    ///   - line: Where this is called.
    /// - Throws: an ``EventLogMismatch`` that shows both histories, if they differ.
    public func expect(_ expected: [Event], fileID: StaticString = #fileID, line: UInt = #line) throws(EventLogMismatch) {
        let actual = removeAll()
        if actual == expected { return }
        throw EventLogMismatch(
            expected: expected.map { "\($0)" }, actual: actual.map { "\($0)" }, position: "\(fileID):\(line)")
    }
}

/// Two histories that should have been the same.
public struct EventLogMismatch: Error, CustomStringConvertible {
    /// What should have happened.
    public let expected: [String]
    /// What happened.
    public let actual: [String]
    /// Where it was compared.
    public let position: String

    /// Both histories side by side, from the first difference on.
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
