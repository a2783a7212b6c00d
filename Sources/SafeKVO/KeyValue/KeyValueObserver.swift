/// An observer that is told all changes in one method, and tells its observations apart by a context.
///
/// ```swift
/// final class ClockView: KeyValueObserver {
///     enum Context { case date, zone }
///
///     func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Context) {
///         switch context {
///         case .date: showDate()
///         case .zone: showZone()
///         }
///     }
/// }
/// ```
///
/// A class on the main actor conforms with `@MainActor KeyValueObserver`.
public protocol KeyValueObserver: AnyObject {
    /// What tells the observations of this observer apart.
    associatedtype Context

    /// Called for each change of what was observed with a context.
    ///
    /// - Parameters:
    ///   - change: What changed.
    ///   - object: The object whose key path was observed.
    ///   - context: What was handed to `observe`.
    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Context)
}
