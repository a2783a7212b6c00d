/// Which elements of a collection a change is about.
@usableFromInline
final class ElementsChange: Sendable {
    /// Their positions; nil if the collection has none.
    @usableFromInline let indexes: RangeSet<Int>?
    /// Whether there are none, so that the change changes nothing.
    @usableFromInline let isEmpty: Bool

    init(indexes: RangeSet<Int>?, isEmpty: Bool) {
        self.indexes = indexes
        self.isEmpty = isEmpty
    }
}
