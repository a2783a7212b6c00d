/// A set of places, as bits: one is made for each observation at each change.
struct Places: Equatable {
    /// One bit for each property of each node.
    private var bits: UInt128 = 0

    private static func bit(_ place: Place) -> UInt128 { 1 &<< UInt128(place.node * Property.allCases.count + place.property.rawValue) }

    mutating func insert(_ place: Place) { bits |= Self.bit(place) }

    /// Removes the properties of a node.
    mutating func remove(node: Int) {
        for property in Property.allCases { bits &= ~Self.bit(Place(node, property)) }
    }

    func contains(_ place: Place) -> Bool { bits & Self.bit(place) != 0 }
}
