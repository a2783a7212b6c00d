// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

/// `summary` is announced by hand, and no getter reports it.
public final class Report: KeyValueObject {
    @Observed private var title = "Report"
    private var lines = ""  // not observed
    public var summary: String { title + lines }
    public func write(_ text: String) { withChange(of: \.summary) { lines = text } }
    public func rename(_ text: String) { title = text }
}

public final class Shelf: KeyValueObject {
    @Observed public var report = Report()
}

/// The same, with a getter that reports `summary`.
public final class ReportedReport: KeyValueObject {
    @Observed private var title = "Report"
    private var lines = ""  // not observed
    public var summary: String {
        access(\.summary)
        return title + lines
    }
    public func write(_ text: String) { withChange(of: \.summary) { lines = text } }
    public func rename(_ text: String) { title = text }
}

public final class ReportedShelf: KeyValueObject {
    @Observed public var report = ReportedReport()
}
