/// A set of places, as bits: one is made for each observation at each change.
struct Places: Equatable {
    /// The properties of the nodes that have all of them, and those of the others.
    private var bits: (subjects: UInt64, others: UInt64) = (0, 0)

    private static func bit(_ place: Place, from first: Int) -> UInt64 {
        1 &<< UInt64((place.node - first) * Property.allCases.count + place.property.rawValue)
    }

    mutating func insert(_ place: Place) {
        if place.node < Node.subjects {
            bits.subjects |= Self.bit(place, from: 0)
        } else {
            bits.others |= Self.bit(place, from: Node.subjects)
        }
    }

    func contains(_ place: Place) -> Bool {
        place.node < Node.subjects
            ? bits.subjects & Self.bit(place, from: 0) != 0 : bits.others & Self.bit(place, from: Node.subjects) != 0
    }

    static func == (left: Places, right: Places) -> Bool { left.bits == right.bits }
}
