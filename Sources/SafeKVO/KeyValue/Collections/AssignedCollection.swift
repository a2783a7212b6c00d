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
        var mark: Int?
        /// Whether handlers of prior calls, or another thread, have made it another collection than the edit was announced for.
        var isOther = false
        let announced = AnnouncedChange<Value>(
            kind: edit.kind, indexes: edit.indexes, name: nil, isSame: { $0.kind == edit.kind },
            plan: { whole in
                mark = edit.mark(whole)
                return AnnouncedChange.Plan(
                    old: edit.old(whole), isEmpty: edit.changesNothing,
                    fulfilment: { isOther ? nil : AnnouncedChange.Fulfilment(new: edit.new($0)) })
            })
        let change = ManualChange(
            root: owner, keyPath: keyPath, change: announced,
            place: AnnouncementPlace(position: .unknown, column: 0, stack: safekvo_stack_position()),
            hearsLate: true)
        return try owner.around(change) { () throws(Failure) in
            var copy = Recording.suspended { owner[keyPath: keyPath] }
            isOther = mark.map { $0 != edit.mark(copy) } ?? false
            defer { owner[keyPath: keyPath] = copy }
            return try body(&copy)
        }
    }
}
