import KeyValueModel
import SafeKVO

extension Told {
    /// What a real change tells.
    init<Property>(_ change: KeyValueChange<Property>, _ value: (Property) -> Value) {
        let kind: Kind =
            switch change.kind {
            case .setting: .setting
            case .insertion: .insertion
            case .removal: .removal
            case .replacement: .replacement
            }
        let phase: Phase = change.isInitial ? .initial : change.isPrior ? .prior : .after
        self.init(
            phase, kind, old: change.oldValue.map(value), new: change.newValue.map(value),
            indexes: change.indexes.map { $0.ranges.flatMap { Array($0) } })
    }
}
