// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

public final class Track: KeyValueObject {
    @Observed public var name: String
    public init(_ name: String) { self.name = name }
}

/// `current` is announced by hand, and no getter reports it.
public final class Deck: KeyValueObject {
    @Observed public var selected: Track? = Track("selected")
    private weak var forced: Track?
    public var current: Track? { forced ?? selected }
    public func force(_ track: Track?) { withChange(of: \.current) { forced = track } }
}

/// The same, with a getter that reports `current`.
public final class ReportedDeck: KeyValueObject {
    @Observed public var selected: Track? = Track("selected")
    private weak var forced: Track?
    public var current: Track? {
        access(\.current)
        return forced ?? selected
    }
    public func force(_ track: Track?) { withChange(of: \.current) { forced = track } }
}
