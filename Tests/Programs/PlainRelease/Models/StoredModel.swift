// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

public final class Lamp: KeyValueObject {
    @Observed public var brightness = 0
    @Observed public var color = "white"
}
