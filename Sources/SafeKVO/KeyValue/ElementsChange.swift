/// Which elements of a collection a change is about.
@usableFromInline
final class ElementsChange: Sendable {
    @usableFromInline let indexes: RangeSet<Int>

    init(indexes: RangeSet<Int>) {
        self.indexes = indexes
    }
}
