// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

public final class Rectangle: KeyValueObject {
    @Observed public var width = 1
    @Observed public var height = 1
    public var area: Int { width * height }
}
