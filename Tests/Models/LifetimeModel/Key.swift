/// What can be observed of an object.
package enum Key: UInt8, CaseIterable, Sendable {
    case value, other
    /// Computed from the value.
    case double
    /// The value of the next object.
    case nextValue

    /// Whether a change of a property of the same object changes it.
    func isChanged(by property: Property) -> Bool {
        switch self {
        case .value: property == .value
        case .other: property == .other
        case .double: property == .value
        case .nextValue: property == .next
        }
    }

    /// Whether its values are those of a property, as they are.
    var isPlain: Bool { self == .value || self == .other }
}
