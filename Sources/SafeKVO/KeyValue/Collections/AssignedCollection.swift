internal import CSafeKVO

/// A collection that can be read and assigned only, as one that threads share: it is changed as a copy.
final class AssignedCollection<Owner: KeyValueObservable, Value>: CollectionProperty<Value> {
    private let owner: Owner
    private let keyPath: ReferenceWritableKeyPath<Owner, Value>

    init(_ owner: Owner, _ keyPath: ReferenceWritableKeyPath<Owner, Value>) {
        self.owner = owner
        self.keyPath = keyPath
    }

    override func edit<Result, Failure: Error>(
        _ edit: CollectionEdit<Value>, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let announced = AnnouncedChange<Value>(
            kind: edit.kind, indexes: edit.indexes, name: "\(edit.kind)", isSame: { $0.kind == edit.kind },
            plan: { whole in
                AnnouncedChange.Plan(
                    old: edit.old(whole), isEmpty: edit.changesNothing, fulfilment: { AnnouncedChange.Fulfilment(new: edit.new($0)) })
            })
        let change = ManualChange(
            root: owner, keyPath: keyPath, change: announced,
            place: AnnouncementPlace(position: .unknown, column: 0, stack: safekvo_stack_position()))
        return try owner.around(change) { () throws(Failure) in
            var copy = Recording.suspended { owner[keyPath: keyPath] }
            defer { owner[keyPath: keyPath] = copy }
            return try body(&copy)
        }
    }
}
