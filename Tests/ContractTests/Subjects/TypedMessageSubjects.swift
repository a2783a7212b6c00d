@testable import SafeKVO
@testable import SafeKVOEvents

/// A message that is a number.
struct NumberMessage: Message {
    let number: Int
}

/// A centre whose messages of a type, and perhaps of an object, carry the number.
protocol TypedMessageContractSubject: MessageCenter, ContractSubject {
    var observedObject: AnyObject? { get }
}

extension TypedMessageContractSubject {
    var observedObject: AnyObject? { nil }

    static func observe<Observer: Sendable>(
        _ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, handler: @escaping @Sendable (Observer, Int) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) -> ObservationResult {
        observations.observe(
            subject, for: NumberMessage.self, object: subject?.observedObject, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            handler: { observer, message in handler(observer, message.number) }, onTermination: onTermination)
    }

    static func unobserve<Observer>(_ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?) -> Int {
        observations.unobserve(subject, for: NumberMessage.self, object: subject?.observedObject, tag: tag)
    }

    static func unobserveAll<Observer>(of subject: Self?, with observations: ObservationController<Observer>) -> Int {
        observations.unobserve(subject)
    }
}

/// Messages of a type.
final class TypedMessages: MessageCenter, TypedMessageContractSubject, @unchecked Sendable {
    func cause(_ number: Int) { post(NumberMessage(number: number)) }
}

/// Messages of a type, of an object.
final class TypedObjectMessages: MessageCenter, TypedMessageContractSubject, @unchecked Sendable {
    let thing = Thing()
    var observedObject: AnyObject? { thing }

    func cause(_ number: Int) {
        post(NumberMessage(number: -1), object: Thing())
        post(NumberMessage(number: number), object: thing)
    }
}

/// Messages that were posted with a name and decoded.
final class DecodedMessages: MessageCenter, TypedMessageContractSubject, @unchecked Sendable {
    override init() {
        super.init()
        setDecoder(MessageDecoder { NumberMessage(number: $0.userInfo["number"] as? Int ?? -1) }, for: "number")
    }

    func cause(_ number: Int) { post("number", userInfo: ["number": number]) }
}
