// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

public final class Cabinet: KeyValueObject {
    @Observed public var books: [String]
    @Observed public var label = "label"
    public init(_ books: [String] = []) { self.books = books }
}

public final class Room: KeyValueObject {
    public let cabinet: Cabinet
    public init(_ cabinet: Cabinet) { self.cabinet = cabinet }
}

public final class House: KeyValueObject {
    @Observed public var room: Room
    public init(_ room: Room) { self.room = room }
}
