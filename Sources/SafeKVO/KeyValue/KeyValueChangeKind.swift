/// The kinds of changes.
public enum KeyValueChangeKind: UInt8, Sendable {
    /// The whole value was set, or may have been changed in place.
    case setting
    /// Elements were inserted into a collection.
    case insertion
    /// Elements were removed from a collection.
    case removal
    /// Elements of a collection were replaced.
    case replacement
}
