/// A set of places, as bits: one is made for each observation at each change.
struct Places: Equatable {
    private var bits: UInt64 = 0

    private static func bit(_ place: Place) -> UInt64 {
        1 << UInt64(place.node * Property.allCases.count + place.property.rawValue)
    }

    mutating func insert(_ place: Place) { bits |= Self.bit(place) }

    func contains(_ place: Place) -> Bool { bits & Self.bit(place) != 0 }
}
