@testable import SafeKVO
@testable import SafeKVOEvents

/// An observed property.
final class PropertySubject: KeyValueObject, KeyValueContractSubject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) one thread at a time uses it.

    @Observed var value = 0

    static var contractKeyPath: KeyPath<PropertySubject, Int> { \.value }

    override required init() {}

    func cause(_ number: Int) { value = number }
}

/// A property that threads share.
final class AtomicPropertySubject: KeyValueObject, KeyValueContractSubject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) one thread at a time uses it.

    @AtomicObserved var value = 0

    static var contractKeyPath: KeyPath<AtomicPropertySubject, Int> { \.value }

    /// Observes in the form that is called on any thread, because the contract registers in no isolation.
    static func observe<Observer: Sendable>(
        _ subject: AtomicPropertySubject?, with observations: ObservationController<Observer>, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, handler: @escaping @Sendable (Observer, Int) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) -> ObservationResult {
        observations.observe(
            subject, \.value, options: .new, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            on: .anyThread { observer, _, change in if let number = change.newValue { handler(observer, number) } },
            onTermination: onTermination)
    }

    override required init() {}

    func cause(_ number: Int) { value = number }
}

/// A computed property, which depends on an observed one.
final class DerivedSubject: KeyValueObject, KeyValueContractSubject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) one thread at a time uses it.

    @Observed var half = 0
    var whole: Int { half * 2 }

    static var contractKeyPath: KeyPath<DerivedSubject, Int> { \.whole.asHalf }

    override required init() {}

    func cause(_ number: Int) { half = number }
}

extension Int {
    fileprivate var asHalf: Int { self / 2 }
}

/// A property of an object that another object holds.
final class NestedSubject: KeyValueObject, KeyValueContractSubject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) one thread at a time uses it.

    final class Inner: KeyValueObject {
        @Observed var value = 0
    }

    @Observed var inner = Inner()

    static var contractKeyPath: KeyPath<NestedSubject, Int> { \.inner.value }

    override required init() {}

    func cause(_ number: Int) { inner.value = number }
}

/// A source of events as a user of the library would write one.
final class Doorbell: ObservationSource, SourceContractSubject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) one thread at a time uses it.

    let eventRegistrar = EventRegistrar<Int>()
    private(set) var attachments = 0
    private(set) var detachments = 0

    func ring(times: Int) { eventRegistrar.notify(times) }

    func cause(_ number: Int) { ring(times: number) }

    func number(of times: Int) -> Int { times }

    func observationDidBegin(_ info: ObservationInfo) { attachments += 1 }

    func observationDidEnd(_ info: ObservationInfo) { detachments += 1 }
}

/// The subject of the observer pattern.
final class Counter: ObservableSubject, SourceContractSubject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) one thread at a time uses it.

    let eventRegistrar = EventRegistrar<Void>()
    private(set) var count = 0

    func cause(_ number: Int) {
        // Observers ask for the number: an event that is told inside another must leave the other's number as it was.
        let outer = count
        defer { count = outer }
        count = number
        notify()
    }

    func number(of event: Void) -> Int { count }
}

extension Signal: ContractSubject, SourceContractSubject where Value == Int {
    static func observe<Observer: Sendable>(
        _ subject: Signal?, with observations: ObservationController<Observer>, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, handler: @escaping @Sendable (Observer, Int) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) -> ObservationResult {
        observations.observe(
            subject, tag: tag, ifAlreadyObserved: ifAlreadyObserved, handler: handler, onTermination: onTermination)
    }

    func cause(_ number: Int) { send(number) }

    func number(of event: Int) -> Int { event }
}
