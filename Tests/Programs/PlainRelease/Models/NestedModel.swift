// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

public final class Address: KeyValueObject {
    @Observed public var street: String
    public init(_ street: String) { self.street = street }
}

public final class Person: KeyValueObject {
    @Observed public var home = Address("Elm Street")
    @Observed public var office: Address?
}
