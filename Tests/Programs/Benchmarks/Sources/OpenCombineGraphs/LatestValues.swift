/// The latest value of each of several publishers.
final class LatestValues {
    private(set) var values: [Int]
    private var missing: Int

    init(_ count: Int) {
        values = Array(repeating: 0, count: count)
        missing = count
    }

    /// Stores a value, and returns true if there is one of each.
    ///
    /// The first values come in order.
    func store(_ value: Int, at index: Int) -> Bool {
        values[index] = value
        if missing > 0, index == values.count - missing { missing -= 1 }
        return missing == 0
    }
}
