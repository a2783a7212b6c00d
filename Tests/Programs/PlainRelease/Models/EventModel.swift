// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO
import SafeKVOEvents

public final class Player: KeyValueObject {
    public let finished = Signal<Int>()
}

public struct CoverWanted: Message {
    public let title: String
    public init(title: String) { self.title = title }
}

extension MessageName {
    public static let libraryDidChange: MessageName = "libraryDidChange"
}
