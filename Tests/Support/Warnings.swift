import SafeKVO
import SafeKVOTesting

/// What the library warned of since the first test asked.
///
/// The handler belongs to the whole process and tests run side by side, so it is installed once, and each test looks at lines of its own.
package enum Warnings {
    private static let log: EventLog<String> = {
        let log = EventLog<String>()
        ObservationDiagnostics.warningHandler = { log.append("\($0.position.fileID) \($0.position.line) \($0.kind) \($0.message)") }
        return log
    }()

    /// Hears warnings from now on.
    package static func listen() { _ = log }

    /// The warnings about some lines of a file, in order: the kind, and how many lines below the first.
    package static func about(_ lines: ClosedRange<UInt>, fileID: StaticString = #fileID) -> [String] {
        events(lines, fileID).map { "\($0.kind) \($0.line - lines.lowerBound)" }
    }

    /// What the warnings about some lines of a file say.
    package static func messages(_ lines: ClosedRange<UInt>, fileID: StaticString = #fileID) -> [String] {
        events(lines, fileID).map(\.message)
    }

    /// How many warnings contain a text, wherever they say that they come from.
    package static func count(of text: String) -> Int { log.events.count { $0.contains(text) } }

    private static func events(_ lines: ClosedRange<UInt>, _ fileID: StaticString) -> [(line: UInt, kind: String, message: String)] {
        log.events.compactMap { event in
            let words = event.split(separator: " ", maxSplits: 3)
            guard words[0] == "\(fileID)", let line = UInt(words[1]), lines.contains(line) else { return nil }
            return (line, String(words[2]), String(words[3]))
        }
    }
}
