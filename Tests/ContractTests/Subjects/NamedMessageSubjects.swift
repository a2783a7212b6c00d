@testable import SafeKVO
@testable import SafeKVOEvents

/// An object that messages are about.
final class Thing {}

/// A centre whose messages of some name and object carry the number.
protocol RawMessageContractSubject: MessageCenter, ContractSubject {
    static var observedName: MessageName? { get }
    var observedObject: AnyObject? { get }
}

extension RawMessageContractSubject {
    static var observedName: MessageName? { nil }
    var observedObject: AnyObject? { nil }

    static func observe<Observer: Sendable>(
        _ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, handler: @escaping @Sendable (Observer, Int) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) -> ObservationResult {
        observations.observe(
            subject, for: observedName, object: subject?.observedObject, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            handler: { observer, message in
                if let number = message.userInfo["number"] as? Int { handler(observer, number) }
            }, onTermination: onTermination)
    }

    static func unobserve<Observer>(_ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?) -> Int {
        observations.unobserve(subject, for: observedName, object: subject?.observedObject, tag: tag)
    }

    static func unobserveAll<Observer>(of subject: Self?, with observations: ObservationController<Observer>) -> Int {
        observations.unobserve(subject)
    }

    func cause(_ number: Int) {
        post("other", object: Thing(), userInfo: ["other number": -1])
        post("number", object: observedObject, userInfo: ["number": number])
    }
}

/// Messages with a name.
final class NamedMessages: MessageCenter, RawMessageContractSubject, @unchecked Sendable {
    static var observedName: MessageName? { "number" }
}

/// Messages of an object.
final class ObjectMessages: MessageCenter, RawMessageContractSubject, @unchecked Sendable {
    let thing = Thing()
    var observedObject: AnyObject? { thing }
}

/// Messages with a name, of an object.
final class NamedObjectMessages: MessageCenter, RawMessageContractSubject, @unchecked Sendable {
    static var observedName: MessageName? { "number" }
    let thing = Thing()
    var observedObject: AnyObject? { thing }
}

/// Every message.
final class EveryMessage: MessageCenter, RawMessageContractSubject, @unchecked Sendable {
    func cause(_ number: Int) { post("number", userInfo: ["number": number]) }
}
