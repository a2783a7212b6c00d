public import SafeKVO

/// The subject of the observer pattern: a class that notifies its observers that it has changed.
///
/// The observers then read from it what they need.
///
/// ```swift
/// final class Thermometer: ObservableSubject {
///     let eventRegistrar = EventRegistrar<Void>()
///     var degrees = 20 { didSet { notify() } }
/// }
///
/// thermometer.attach(display)  // each notify() calls display.update(_:)
/// thermometer.detach(display)
/// ```
///
/// Attached observers need no controller. Other observers may observe the subject through a controller, as any `ObservationSource`. All
/// observers are called in the order in which they were added.
///
/// ## Lifetime
///
/// A subject does not retain its observers, and an attached observer does not retain its subject. When an attached observer is deallocated,
/// the next notification removes it.
public protocol ObservableSubject: ObservationSource where Event == Void {}

extension ObservableSubject {
    /// Adds an observer, which is notified of each later change.
    ///
    /// - Parameter observer: The observer whose ``SubjectObserver/update(_:)`` is called. It is not retained.
    /// - Returns: `ObservationResult.added` if the observer was added. An observer that is attached already keeps its place. Outside every
    ///   actor, one of a `SharedObservationSource` is refused: observe it through a controller, with `on: .anyThread { … }`.
    /// - Complexity: O(*n*) for *n* observers. Observing through a controller takes O(1).
    @inlinable
    @discardableResult
    public func attach<Observer: SubjectObserver>(
        _ observer: Observer, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationResult where Observer.Subject == Self {
        attach(observer, Registration(.action, [], nil, .ignore, isolation, fileID, line, nil)) { observer, subject in
            observer.update(subject)
        }
    }

    /// Adds an observer whose `update(_:)` takes subjects of several classes.
    ///
    /// The observer is notified of each later change.
    ///
    /// - Parameter observer: The observer whose ``SubjectObserver/update(_:)`` is called. It is not retained.
    /// - Returns: `ObservationResult.added` if the observer was added. An observer that is attached already keeps its place. Outside every
    ///   actor, one of a `SharedObservationSource` is refused: observe it through a controller, with `on: .anyThread { … }`.
    /// - Complexity: O(*n*) for *n* observers. Observing through a controller takes O(1).
    @inlinable
    @discardableResult
    public func attach<Observer: SubjectObserver>(
        _ observer: Observer, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ObservationResult where Observer.Subject == any ObservableSubject {
        attach(observer, Registration(.action, [], nil, .ignore, isolation, fileID, line, nil)) { observer, subject in
            observer.update(subject)
        }
    }

    @inlinable
    func attach<Observer: AnyObject>(
        _ observer: Observer, _ registration: borrowing Registration, update: @escaping (Observer, Self) -> Void
    ) -> ObservationResult {
        eventRegistrar.list(of: self).attach(
            observer, to: self, registration,
            make: { SubjectHandlerInfo<Observer, Self, Void>(event: $0) { observer, subject, _ in update(observer, subject) } })
    }

    /// Removes an observer that was added with `attach`.
    ///
    /// After this function returns, no new call to the observer starts, even if a notification is being delivered. Observations through a
    /// controller stay.
    ///
    /// - Parameter observer: The observer.
    /// - Returns: `true` if the observer was attached.
    /// - Complexity: O(*n*) for *n* observers.
    @discardableResult
    public func detach<Observer: SubjectObserver>(_ observer: Observer) -> Bool {
        eventRegistrar.existingList?.detach(observer) ?? false
    }

    /// Notifies the observers that the subject has changed.
    ///
    /// The observers are called on this thread, in the order in which they were added, before this function returns.
    ///
    /// - Complexity: O(*n*) for *n* observers.
    @inlinable
    public func notify() {
        eventRegistrar.notify(())
    }
}

/// The observer of the observer pattern.
///
/// When a subject notifies the observer, the observer reads from the subject what it needs.
///
/// ```swift
/// final class Display: SubjectObserver {
///     func update(_ thermometer: Thermometer) {
///         print("\(thermometer.degrees)°")
///     }
/// }
/// ```
///
/// If an observer has subjects of several classes, or of a class and its subclasses, its method takes `any ObservableSubject`.
public protocol SubjectObserver<Subject>: AnyObject {
    /// The class of the observed subjects, or `any ObservableSubject`.
    associatedtype Subject

    /// Called when a subject to which the observer is attached has changed.
    ///
    /// - Parameter subject: The subject.
    func update(_ subject: Subject)
}
