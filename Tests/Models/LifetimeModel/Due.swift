/// A call that is to come.
struct Due {
    let watch: Int
    let phase: Phase
    var old: Int?
    var new: Int?
    /// Whether the rules do not say that it comes.
    var isOptional = false
}
