/// An observed property that holds a collection.
class CollectionProperty<Value> {
    /// Changes the collection, and tells of it.
    ///
    /// - Parameters:
    ///   - plan: Works out what is to be done to a value, and what it takes. Closures of the user's run here, outside of any access to the
    ///     property. It is called again if the value is another one by the time that it is to be done.
    ///   - apply: Does it. The property may be open for as long, so it must not run anybody else's code: the `deinit` of an element is such
    ///     code, so what it removes must be left in the state or the result.
    /// - Returns: what `apply` returned.
    func edit<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        preconditionFailure("A property must say how it is edited.")
    }
}

/// Plans an edit for a copy and does it there.
func editCopy<Value, Edit: CollectionEdit<Value>, State, Result>(
    _ copy: inout Value, _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
) -> (edit: Edit, state: State, result: Result) {
    var (edit, state) = plan(copy)
    let result = apply(&copy, &state)
    return (edit, state, result)
}
