extension RangeSet<Int> {
    /// How many indexes there are.
    ///
    /// - Complexity: O(*r*) for *r* ranges.
    var count: Int {
        ranges.reduce(0) { $0 + $1.count }
    }
}
