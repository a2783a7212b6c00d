/// An object as the model sees it.
struct Thing {
    /// The place that it was made for: it refers strongly only to objects of later places, so that nothing refers to itself.
    let rank: Int
    /// How many references it must be alive for.
    var references = 1
    var isDead = false
    var next: Int?
    var value = 0
    var other = 0
    /// The controllers that it has by itself, once used: the retaining one, and the other.
    var automatic: [Int?] = [nil, nil]
}
