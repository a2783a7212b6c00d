/// The subject of the observer pattern: a class that tells its observers that it has changed, and lets them look for themselves.
///
/// ```swift
/// final class Thermometer: ObservableSubject {
///     let eventRegistrar = EventRegistrar<Void>()
///     var degrees = 20 { didSet { notify() } }
/// }
///
/// thermometer.attach(display)  // display.update(thermometer) is called from now on
/// thermometer.detach(display)
/// ```
///
/// Observers that are attached need no controller. Others may observe the subject through theirs, as any ``ObservationSource``, and all are
/// called in the order in which they came.
///
/// ## Lifetime
///
/// A subject keeps none of its observers, and no attached observer keeps its subject. An attached observer that has gone is dropped when the
/// subject next notifies.
public protocol ObservableSubject: ObservationSource where Event == Void {}

extension ObservableSubject {
    /// Lets an observer be told of each change from now on.
    ///
    /// - Parameters:
    ///   - observer: Whose ``SubjectObserver/update(_:)`` to call. It is not retained.
    ///   - isolation: Leave it out: it tells where the observer belongs.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    /// - Returns: whether the observer was attached; one that is attached already stays where it is.
    /// - Complexity: O(*n*) for *n* observers. Observing through a controller is O(1).
    @inlinable
    @discardableResult
    public func attach<Observer: SubjectObserver>(
        _ observer: Observer, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationResult where Observer.Subject == Self {
        attach(observer, isolation, SourcePosition(fileID: fileID, line: line)) { observer, subject in observer.update(subject) }
    }

    /// Lets an observer of subjects of several classes be told of each change from now on.
    ///
    /// - Parameters:
    ///   - observer: Whose ``SubjectObserver/update(_:)`` to call. It is not retained.
    ///   - isolation: Leave it out: it tells where the observer belongs.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    /// - Returns: whether the observer was attached; one that is attached already stays where it is.
    /// - Complexity: O(*n*) for *n* observers. Observing through a controller is O(1).
    @inlinable
    @discardableResult
    public func attach<Observer: SubjectObserver>(
        _ observer: Observer, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationResult where Observer.Subject == any ObservableSubject {
        attach(observer, isolation, SourcePosition(fileID: fileID, line: line)) { observer, subject in observer.update(subject) }
    }

    @inlinable
    func attach<Observer: AnyObject>(
        _ observer: Observer, _ isolation: (any Actor)?, _ position: SourcePosition, update: @escaping (Observer, Self) -> Void
    ) -> ObservationResult {
        let registration = Registration(
            kind: .action, options: [], tag: nil, ifAlreadyObserved: .ignore, isolation: isolation, position: position, onTermination: nil)
        return eventRegistrar.list(of: self).attach(
            observer, to: self, registration,
            make: { SubjectHandlerInfo<Observer, Self, Void>(event: $0) { observer, subject, _ in update(observer, subject) } })
    }

    /// Tells an observer of nothing any more.
    ///
    /// When it returns, no new call starts, not even in a delivery under way. What a controller observes stays.
    ///
    /// - Parameter observer: The observer.
    /// - Returns: whether it was attached.
    /// - Complexity: O(*n*) for *n* observers.
    @discardableResult
    public func detach<Observer: SubjectObserver>(_ observer: Observer) -> Bool {
        eventRegistrar.existingList?.detach(observer) ?? false
    }

    /// Tells the observers that the subject has changed.
    ///
    /// They are called on this thread, in the order in which they came, before this returns.
    ///
    /// - Complexity: O(*n*) for *n* observers.
    @inlinable
    public func notify() {
        eventRegistrar.notify(())
    }
}

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
