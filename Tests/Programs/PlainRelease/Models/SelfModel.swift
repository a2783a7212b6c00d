// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

open class Shape: KeyValueObject {
    @Observed public var color = "red"
}

public final class Circle: Shape {
    @Observed public var radius = 1
}
