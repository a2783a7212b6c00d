// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

public final class Thermometer: KeyValueObject {
    private var file = ["celsius": 20, "offset": 1]
    /// Reports itself.
    public var celsius: Int {
        get {
            access(\.celsius)
            return file["celsius"] ?? 0
        }
        set { withChange(of: \.celsius) { file["celsius"] = newValue } }
    }
    public var isHot: Bool { celsius > 25 }
    /// Reports nothing.
    public var offset: Int { file["offset"] ?? 0 }
    public func adjust(by difference: Int) {
        withChange(of: \.offset) {
            file["offset", default: 0] += difference
            withChange(of: \.offset) { file["offset", default: 0] += difference }
        }
    }
}

public final class Kitchen: KeyValueObject {
    @Observed public var thermometer = Thermometer()
}
