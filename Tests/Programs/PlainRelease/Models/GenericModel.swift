// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

public final class Pair<Value: Equatable>: KeyValueObject {
    @Observed public var left: Value
    @Observed public var right: Value
    public var areEqual: Bool { left == right }

    public init(_ left: Value, _ right: Value) {
        self.left = left
        self.right = right
    }
}

public final class PairOwner<Value: Equatable>: KeyValueObject {
    @Observed public var pair: Pair<Value>
    public init(_ pair: Pair<Value>) { self.pair = pair }
}
