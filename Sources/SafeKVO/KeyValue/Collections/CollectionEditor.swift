/// The one way in which a proxy reads and changes the collection of its subject.
///
/// Provisional: it announces what the property announces by itself.
struct CollectionEditor<Subject: KeyValueObservable, Value> {
    private let subject: Subject
    private let keyPath: ReferenceWritableKeyPath<Subject, Value>

    init(subject: Subject, keyPath: ReferenceWritableKeyPath<Subject, Value>) {
        self.subject = subject
        self.keyPath = keyPath
    }

    /// Reads the collection.
    func read<R>(_ body: (Value) -> R) -> R {
        body(subject[keyPath: keyPath])
    }

    /// Changes the collection and announces the change.
    ///
    /// The property is open for the length of `body`, which runs no code of a user's but what copies, hashes and compares elements.
    func edit<R, Failure: Error>(
        _ kind: KeyValueChangeKind, at indexes: RangeSet<Int>?, changesNothing: Bool, old: (Value) -> Value?, new: (Value) -> Value?,
        _ body: (inout Value) throws(Failure) -> R
    ) throws(Failure) -> R {
        try body(&subject[keyPath: keyPath])
    }
}
