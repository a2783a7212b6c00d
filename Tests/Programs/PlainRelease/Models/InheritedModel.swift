// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

open class Instrument: KeyValueObject {
    @Observed open var pitch = 440
    @Observed open var strings: [String] = ["e"]
    @Observed public var tuning = 0
}

public final class Violin: Instrument {}
