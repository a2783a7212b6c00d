/// A collection that threads share: it is changed as a copy, which takes its place unless another thread has written meanwhile.
final class AtomicCollection<Owner: KeyValueObservable, Value>: CollectionProperty<Value> {
    private let owner: Owner
    private let property: UInt
    private let keyPath: ReferenceWritableKeyPath<Owner, Value>
    private let storage: ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>

    init(
        _ owner: Owner, _ property: UInt, _ keyPath: ReferenceWritableKeyPath<Owner, Value>,
        _ storage: ReferenceWritableKeyPath<Owner, AtomicObserved<Value>>
    ) {
        self.owner = owner
        self.property = property
        self.keyPath = keyPath
        self.storage = storage
    }

    override func edit<Edit: CollectionEdit<Value>, State, Result>(
        _ plan: (Value) -> (edit: Edit, state: State), _ apply: (inout Value, inout State) -> Result
    ) -> Result {
        AtomicChange.update(
            owner, property, at: .unknown, { keyPath }, cell: { owner[keyPath: storage].cell }, edit: { $0.edit }
        ) {
            editCopy(&$0, plan, apply)
        }.result
    }
}
