extension RangeSet<Int> {
    /// How many indexes there are; the greatest number if there are more.
    ///
    /// - Complexity: O(*r*) for *r* ranges.
    var count: Int {
        ranges.reduce(0) { sum, range in
            let (length, isTooLong) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
            let (total, isTooMuch) = sum.addingReportingOverflow(length)
            return isTooLong || isTooMuch ? .max : total
        }
    }

    /// Whether all indexes are those of elements, if there are so many.
    func isInside(_ count: Int) -> Bool {
        guard let first = ranges.first, let last = ranges.last else { return true }
        return first.lowerBound >= 0 && last.upperBound <= count
    }
}
