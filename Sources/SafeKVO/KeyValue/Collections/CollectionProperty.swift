/// An observed property that holds a collection.
class CollectionProperty<Value> {
    /// Changes the collection, and tells of it.
    func edit<Result, Failure: Error>(
        _ edit: CollectionEdit<Value>, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        preconditionFailure("A property must say how it is edited.")
    }
}
