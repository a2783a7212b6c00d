import SafeKVO

/// An observer that keeps what it is told, and what the getter gave each time.
final class Listener<Value> {
    private(set) var changes: [KeyValueChange<Value>] = []
    private(set) var getters: [Value] = []
    private lazy var observations = ObservationController(observer: self)

    func listen<Subject: KeyValueObservable>(
        to subject: Subject, _ keyPath: KeyPath<Subject, Value>, _ options: KeyValueObservingOptions = [.old, .new],
        isolation: isolated (any Actor)? = #isolation
    ) {
        observations.observe(subject, keyPath, options: options, isolation: isolation) { listener, subject, change in
            listener.changes.append(change)
            listener.getters.append(subject[keyPath: keyPath])
        }
    }

    /// Takes out what was heard so far.
    func removeAll() -> [KeyValueChange<Value>] {
        defer { (changes, getters) = ([], []) }
        return changes
    }
}
