/// What another system tells of a change: all but the values.
package struct ForeignChange: Sendable {
    /// Whether the change is yet to come.
    let isPrior: Bool
    let kind: KeyValueChangeKind
    /// Which elements of an ordered collection.
    let indexes: RangeSet<Int>?

    /// What is told of a change, as it will be or as it was made.
    package init(kind: KeyValueChangeKind, indexes: RangeSet<Int>?, isPrior: Bool) {
        self.kind = kind
        self.indexes = indexes
        self.isPrior = isPrior
    }
}
