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
    ///   - plan: Works out what is to be done to a value, and what it takes.
    ///   - apply: Does it.
    /// - Returns: what `apply` returns.
    func edit<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        if let property = PropertyFinder.property(of: subject, keyPath) { return property.edit(plan, apply) }
        var copy = subject[keyPath: keyPath]
        let done = editCopy(&copy, plan, apply)
        subject[keyPath: keyPath] = copy
        return withExtendedLifetime(done) { done.result }
    }
}
