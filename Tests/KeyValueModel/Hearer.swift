/// An observation that hears of an announced change, as it stands before the change.
struct Hearer {
    let observation: ModelObservation
    /// The whole value before the change.
    var old: Value
    /// What the key depended on before the change.
    var reads = Places()
    /// The change as this observation sees it.
    var change: Change
    /// The whole value after the change.
    var new: Value?
}
