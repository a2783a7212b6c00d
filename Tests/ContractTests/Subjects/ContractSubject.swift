import SafeKVO
import SafeKVOEvents
import SafeKVOFoundation

/// A thing that can be observed, as the contract suite sees it: it causes events that carry a number, and observers hear the number.
///
/// To put another source through the contract, write a class that conforms, and add it to ``ContractSource/all``.
protocol ContractSubject: AnyObject, Sendable, SendableMetatype {
    init()

    /// Causes one event.
    func cause(_ number: Int)

    /// Observes the subject: one observation, whose handler is called once for each event from now on.
    static func observe<Observer: Sendable>(
        _ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, handler: @escaping @Sendable (Observer, Int) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) -> ObservationResult

    /// Removes the one observation under the tag.
    static func unobserve<Observer>(_ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?) -> Int

    /// Removes all observations of the subject.
    static func unobserveAll<Observer>(of subject: Self?, with observations: ObservationController<Observer>) -> Int
}

/// A contract subject whose events are the changes of one key path.
protocol KeyValueContractSubject: ContractSubject, KeyValueObservable {
    static var contractKeyPath: KeyPath<Self, Int> { get }
}

extension KeyValueContractSubject {
    static func observe<Observer: Sendable>(
        _ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, handler: @escaping @Sendable (Observer, Int) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) -> ObservationResult {
        observations.observe(
            subject, contractKeyPath, options: .new, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            handler: { observer, object, change in
                if let number = change.newValue { handler(observer, number) }
            }, onTermination: onTermination)
    }

    static func unobserve<Observer>(_ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?) -> Int {
        observations.unobserve(subject, contractKeyPath, tag: tag)
    }

    static func unobserveAll<Observer>(of subject: Self?, with observations: ObservationController<Observer>) -> Int {
        observations.unobserve(subject)
    }
}

/// A contract subject that is a source with one kind of events.
protocol SourceContractSubject: ContractSubject, ObservationSource {
    func number(of event: Event) -> Int
}

extension SourceContractSubject {
    static func observe<Observer: Sendable>(
        _ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, handler: @escaping @Sendable (Observer, Int) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) -> ObservationResult {
        observations.observe(
            subject, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            handler: { observer, source, event in handler(observer, source.number(of: event)) }, onTermination: onTermination)
    }

    static func unobserve<Observer>(_ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?) -> Int {
        observations.unobserve(subject, for: nil, tag: tag)
    }

    static func unobserveAll<Observer>(of subject: Self?, with observations: ObservationController<Observer>) -> Int {
        observations.unobserve(subject)
    }
}

/// A source that goes through the contract suite.
struct ContractSource: Sendable, CustomStringConvertible {
    let description: String
    let type: any ContractSubject.Type

    init(_ description: String, _ type: any ContractSubject.Type) {
        self.description = description
        self.type = type
    }

    /// Every source there is.
    static let all = everyEvent + polls

    /// The sources whose observers hear each event.
    static let everyEvent = portable + native

    /// `true` if the observed key is derived from others: in no isolation, each controller then has an evaluation of its own.
    var isDerived: Bool { type == DerivedSubject.self || type == NestedSubject.self }

    /// The sources whose observers hear values: an older one is not heard after a newer one.
    static let polls = [
        ContractSource("a polled value", PolledSubject.self),
        ContractSource("a polled value of an object with a registrar", PolledPropertySubject.self),
    ]

    private static let portable = [
        ContractSource("a property", PropertySubject.self),
        ContractSource("an atomic property", AtomicPropertySubject.self),
        ContractSource("a computed property", DerivedSubject.self),
        ContractSource("a nested key path", NestedSubject.self),
        ContractSource("a source written by the user", Doorbell.self),
        ContractSource("a signal", Signal<Int>.self),
        ContractSource("a subject of one's own", Counter.self),
        ContractSource("messages with a name", NamedMessages.self),
        ContractSource("messages of an object", ObjectMessages.self),
        ContractSource("messages of a name and an object", NamedObjectMessages.self),
        ContractSource("every message", EveryMessage.self),
        ContractSource("messages of a type", TypedMessages.self),
        ContractSource("messages of a type and an object", TypedObjectMessages.self),
        ContractSource("decoded messages", DecodedMessages.self),
        ContractSource("a property of an @Observable object", ObservableSwiftSubject.self),
        ContractSource("a computed value of @Observable objects", DerivedSwiftSubject.self),
        ContractSource("notifications of Foundation", ObservableNotificationCenter.self),
        ContractSource("a key of another system's object", CocoaSubject.self),
        ContractSource("a nested key of another system's object", NestedCocoaSubject.self),
    ]

    #if canImport(ObjectiveC)
        private static let native = [ContractSource("a property of an NSObject", NSObjectSubject.self)]
    #else
        private static let native: [ContractSource] = []
    #endif

    func makeSubject() -> any ContractSubject { type.init() }
}
