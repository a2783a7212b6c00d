/// What an observation will be told at the end of a batch.
struct Pending {
    /// As before the first change.
    var first: Hearer
    /// `true` if a change has ended, not only begun.
    var isChanged = false
}
