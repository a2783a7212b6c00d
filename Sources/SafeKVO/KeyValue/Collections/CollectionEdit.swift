/// What is done to some elements of a collection, for those who are told.
struct CollectionEdit<Value> {
    let kind: KeyValueChangeKind
    let indexes: RangeSet<Int>?
    /// Whether no element comes, goes or is exchanged.
    let changesNothing: Bool
    /// A number that, if handlers of prior calls change the collection, stays the same as long as the edit means the same.
    let mark: (Value) -> Int
    /// Picks the elements that go out of the whole value.
    let old: (Value) -> Value?
    /// Picks the elements that have come out of the whole value.
    let new: (Value) -> Value?

    var elements: ElementsChange? {
        kind == .setting ? nil : ElementsChange(indexes: indexes, isEmpty: changesNothing)
    }
}
