/// Changes the collection that a key path leads to, and tells its observers exactly what was done.
struct CollectionEditor<Subject: KeyValueObservable, Value> {
    let subject: Subject
    let keyPath: ReferenceWritableKeyPath<Subject, Value>

    init(subject: Subject, keyPath: ReferenceWritableKeyPath<Subject, Value>) {
        self.subject = subject
        self.keyPath = keyPath
    }

    /// Looks at the collection.
    func read<Result>(_ body: (Value) -> Result) -> Result {
        body(subject[keyPath: keyPath])
    }

    /// Changes the collection and announces one change.
    ///
    /// A key path that is no chain of observed properties leads to something that is assigned to, and announces that itself.
    ///
    /// - Parameters:
    ///   - kind: What is done.
    ///   - indexes: To the elements at which positions, of an insertion after it; nil for a set, or for the whole.
    ///   - changesNothing: Whether no element comes, goes or is exchanged.
    ///   - mark: A number of the value that stays the same as long as the rest means the same.
    ///   - old: Picks the elements that go; called before the change if an observer wants them.
    ///   - new: Picks the elements that have come; called after it.
    ///   - body: Does it. The property is open for as long, so it must not run anybody else's code.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
    func edit<Result, Failure: Error>(
        _ kind: KeyValueChangeKind, at indexes: RangeSet<Int>?, changesNothing: Bool, mark: @escaping (Value) -> Int,
        old: (Value) -> Value?, new: (Value) -> Value?,
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withoutActuallyEscaping(old) { old throws(Failure) in
            try withoutActuallyEscaping(new) { new throws(Failure) in
                let edit = CollectionEdit(kind: kind, indexes: indexes, changesNothing: changesNothing, mark: mark, old: old, new: new)
                if let property = PropertyFinder.property(of: subject, keyPath) { return try property.edit(edit, body) }
                var copy = subject[keyPath: keyPath]
                defer { subject[keyPath: keyPath] = copy }
                return try body(&copy)
            }
        }
    }
}
