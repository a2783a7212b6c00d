// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

public final class Amplifier: KeyValueObject {
    @Observed public var isOn = false
    @Observed public var volume = 1
    public var loudness: Int { isOn ? volume : 0 }
}
