import SafeKVO

/// The observer of the programs, which prints what it is told.
final class Reader {
    lazy var observations = ObservationController(observer: self)

    func watch<Object: KeyValueObservable, Value>(
        _ name: String, _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: KeyValueObservingOptions = [.old, .new],
        tag: ObservationTag? = nil
    ) {
        observations.observe(object, keyPath, options: options, tag: tag) { _, _, change in print("  \(name):", text(change)) }
    }
}

/// A change in words, which need no reflection metadata.
func text<Value>(_ change: KeyValueChange<Value>) -> String {
    let kind =
        switch change.kind {
        case .setting: "setting"
        case .insertion: "insertion"
        case .removal: "removal"
        case .replacement: "replacement"
        }
    var words = [change.isInitial ? "initial \(kind)" : change.isPrior ? "prior \(kind)" : kind]
    if let old = change.oldValue { words.append("old \(old)") }
    if let new = change.newValue { words.append("new \(new)") }
    if let indexes = change.indexes { words.append("at \(indexes.ranges.map { "\($0)" }.joined(separator: ", "))") }
    return words.joined(separator: ", ")
}
