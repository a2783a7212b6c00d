/// An optional type, as which a value of another system is wanted.
protocol ForeignOptional {
    /// Its nil.
    static var absent: Any { get }

    /// A value, wrapped; nil if it is not of the type.
    static func wrapped(_ value: ForeignValue) -> Any?
}

extension Optional: ForeignOptional {
    static var absent: Any { Self.none as Any }

    static func wrapped(_ value: ForeignValue) -> Any? {
        value.typed(as: Wrapped.self).map { Self.some($0) as Any }
    }
}
