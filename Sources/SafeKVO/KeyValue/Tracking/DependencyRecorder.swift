/// Follows everything that an evaluation of a tracked path reads.
final class DependencyRecorder<Root: KeyValueObservable, Leaf>: AccessRecorder {
    private let path: TrackedPath<Root, Leaf>
    private let ticket: UInt64

    init(_ path: TrackedPath<Root, Leaf>, _ ticket: UInt64) {
        self.path = path
        self.ticket = ticket
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>
    ) {
        path.follow(owner, property: property, ticket)
    }
}
