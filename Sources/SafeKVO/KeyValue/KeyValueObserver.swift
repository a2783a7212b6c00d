/// An observer that receives all changes in one method, and distinguishes its observations by a context.
///
/// ```swift
/// final class ClockView: KeyValueObserver {
///     enum Context { case date, zone }
///
///     func observeChange(
///         _ change: AnyKeyValueChange, of object: AnyObject, context: Context
///     ) {
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
    /// The type of the values that distinguish the observations of this observer.
    associatedtype Context

    /// Called for each change of a key path that is observed with a context.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - object: The observed object.
    ///   - context: The context that was passed to `observe`.
    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Context)
}
