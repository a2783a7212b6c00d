/// Who goes in which order, and where.
struct DeathCase: CustomStringConvertible {
    let order: [Party]
    let place: DeathPlace
    /// How many go before the place is reached.
    let before: Int
    let retaining: Bool
    /// Whether the observer is the subject.
    let ofItself: Bool

    var description: String {
        let names = order.map(\.rawValue)
        let parts = [names[..<before].joined(separator: ", "), "\(place.rawValue):", names[before...].joined(separator: ", ")]
        return parts.joined(separator: " ") + (retaining ? "; retaining" : "; not retaining") + (ofItself ? "; of itself" : "")
    }

    /// All cases of a place.
    static func all(_ place: DeathPlace, retaining: Bool, ofItself: Bool) -> [DeathCase] {
        // One object is observer and subject then.
        let parties = Party.allCases.filter { !ofItself || $0 != .observer }
        // In the initial handler, nothing is there to go before.
        let befores = place == .initialHandler || place == .straight || place == .otherThread ? [0] : [0, 1, 3]
        return Party.orders(of: parties).flatMap { order in
            befores.map { DeathCase(order: order, place: place, before: $0, retaining: retaining, ofItself: ofItself) }
        }
    }
}
