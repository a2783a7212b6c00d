// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

public final class Album: KeyValueObject {
    @Observed public var songs: [String] = []
    @Observed public var tags: Set<String> = []
}
