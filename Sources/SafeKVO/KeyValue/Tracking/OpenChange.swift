/// A change of a dependency that is under way: announced to come, not yet done.
struct OpenChange<Value> {
    /// The list of the dependency.
    let dependency: UInt
    let thread: UInt
    /// Who is heard from.
    let limit: UInt32
    /// The dependent's value before.
    let old: Value?
}
