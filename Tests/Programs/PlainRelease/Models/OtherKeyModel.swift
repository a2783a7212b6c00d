// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

public final class Song: KeyValueObject {
    private var (a, b) = ("a", "b")
    public var title: String { a }
    public var note: String { b }
    public func setTitle(_ text: String) { withChange(of: \.title) { a = text } }
}

public final class Radio: KeyValueObject {
    @Observed public var song = Song()
}
