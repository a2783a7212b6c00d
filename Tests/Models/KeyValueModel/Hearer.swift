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
    /// The change as this observation may see it, too: an empty collection that has been made from an empty one is the same reference, or not.
    var lookalike: Change?
    /// `true` if nobody has asked for the old value in time.
    var lacksOld = false
    /// `true` if the rules do not say whether the old value is told.
    var mayLackOld = false

    /// The same observation at the end of a change of some elements, which may have turned out to be another one.
    func ending(as end: Change?) -> Hearer {
        guard let end, case .elements = change else { return self }
        var hearer = self
        hearer.change = end
        return hearer
    }

    /// Makes a setting of a change, because the value is the changed property's no longer.
    ///
    /// Before an edit of some elements, nobody has read the whole value, which might have to be copied.
    mutating func stopPassing() {
        if case .elements = change { mayLackOld = true }
        change = .setting
    }
}
