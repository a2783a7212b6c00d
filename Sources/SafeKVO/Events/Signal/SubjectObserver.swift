/// The observer of the observer pattern: told that a subject has changed, it asks the subject for what it needs.
///
/// ```swift
/// final class Display: SubjectObserver {
///     func update(_ thermometer: Thermometer) { print("\(thermometer.degrees)°") }
/// }
/// ```
///
/// An observer of subjects of several classes, or of a class and its subclasses, takes `any ObservableSubject`.
public protocol SubjectObserver<Subject>: AnyObject {
    /// The class of what it observes, or `any ObservableSubject`.
    associatedtype Subject

    /// Called when a subject that the observer is attached to has changed.
    ///
    /// - Parameter subject: The subject, to be asked what it has become.
    func update(_ subject: Subject)
}
