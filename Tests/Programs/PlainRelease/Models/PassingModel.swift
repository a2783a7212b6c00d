// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

public final class Playlist: KeyValueObject {
    @Observed public var songs: [String]
    public var titles: [String] { songs }
    public init(_ songs: [String] = []) { self.songs = songs }
}

public final class Jukebox: KeyValueObject {
    @Observed public var playlist: Playlist? = Playlist()
}
