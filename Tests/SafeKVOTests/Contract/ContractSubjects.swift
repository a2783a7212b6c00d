import SafeKVO

/// An observed property.
final class PropertySubject: KeyValueObject, KeyValueContractSubject {
    @Observed var value = 0

    static var contractKeyPath: KeyPath<PropertySubject, Int> { \.value }

    override required init() {}

    func cause(_ number: Int) { value = number }
}

/// A property that threads share.
final class AtomicPropertySubject: KeyValueObject, KeyValueContractSubject {
    @AtomicObserved var value = 0

    static var contractKeyPath: KeyPath<AtomicPropertySubject, Int> { \.value }

    override required init() {}

    func cause(_ number: Int) { value = number }
}

/// A computed property, which depends on an observed one.
final class DerivedSubject: KeyValueObject, KeyValueContractSubject {
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
final class NestedSubject: KeyValueObject, KeyValueContractSubject {
    final class Inner: KeyValueObject {
        @Observed var value = 0
    }

    @Observed var inner = Inner()

    static var contractKeyPath: KeyPath<NestedSubject, Int> { \.inner.value }

    override required init() {}

    func cause(_ number: Int) { inner.value = number }
}

/// A source of events as a user of the library would write one.
final class Doorbell: ObservationSource, ContractSubject {
    let observationRegistrar = ObservationRegistrar<Int>()

    func ring(times: Int) { observationRegistrar.notify(times, from: self) }

    func cause(_ number: Int) { ring(times: number) }

    static func observe<Observer>(
        _ subject: Doorbell?, with observations: ObservationController<Observer>, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, handler: @escaping (Observer, Int) -> Void,
        onEnd: (@Sendable (ObservationEndReason) -> Void)?
    ) -> ObservationResult {
        observations.observe(
            subject, tag: tag, ifAlreadyObserved: ifAlreadyObserved, handler: { observer, times in handler(observer, times) },
            onEnd: onEnd)
    }

    static func unobserve<Observer>(
        _ subject: Doorbell?, with observations: ObservationController<Observer>, tag: ObservationTag?
    ) -> Int {
        observations.unobserve(subject, tag: tag)
    }

    static func unobserveAll<Observer>(of subject: Doorbell?, with observations: ObservationController<Observer>) -> Int {
        observations.unobserve(subject)
    }
}
