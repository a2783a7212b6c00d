import SafeKVO
import SafeKVOTesting

/// What the library warned of since the first test asked.
///
/// The handler belongs to the whole process and tests run side by side, so it is installed once, and each test looks at lines of its own.
enum Warnings {
    private static let log: EventLog<String> = {
        let log = EventLog<String>()
        ObservationDiagnostics.warningHandler = { log.append("\($0.position.fileID) \($0.position.line) \($0.kind)") }
        return log
    }()

    /// Hears warnings from now on.
    static func listen() { _ = log }

    /// The warnings about some lines of a file, in order: the kind, and how many lines below the first.
    static func about(_ lines: ClosedRange<UInt>, fileID: StaticString = #fileID) -> [String] {
        log.events.compactMap { event in
            let words = event.split(separator: " ")
            guard words[0] == "\(fileID)", let line = UInt(words[1]), lines.contains(line) else { return nil }
            return "\(words[2]) \(line - lines.lowerBound)"
        }
    }
}
