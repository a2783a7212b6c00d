import SafeKVO
import SafeKVOTesting

/// An observer that writes what it hears, and what ends, into a log that it may share with others.
final class ContractObserver: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) one thread at a time uses it.

    let name: String
    let log: EventLog<String>
    private(set) lazy var retaining = ObservationController(observer: self)
    private(set) lazy var notRetaining = ObservationController(observer: self, retainsObserved: false)

    init(_ name: String, _ log: EventLog<String>) {
        self.name = name
        self.log = log
    }

    func observations(retaining isRetaining: Bool) -> ObservationController<ContractObserver> {
        isRetaining ? retaining : notRetaining
    }
}

extension ContractSubject {
    /// Lets an observer observe this, log, and do something besides.
    ///
    /// The closure is handed the observer, so that it need not capture it.
    @discardableResult
    func observe(
        by observer: ContractObserver, retaining: Bool = true, tag: ObservationTag? = nil,
        ifAlreadyObserved: RepeatedObservation = .ignore, label: String? = nil,
        doing action: @escaping @Sendable (ContractObserver, Int) -> Void = { _, _ in }
    ) -> ObservationResult {
        let (name, log) = (label ?? observer.name, observer.log)
        return Self.observe(
            self, with: observer.observations(retaining: retaining), tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            handler: { observer, number in
                log.append("\(name) \(number)")
                action(observer, number)
            },
            onTermination: { reason in log.append("\(name) ended: \(reason)") })
    }

    /// Removes one observation.
    @discardableResult
    func unobserve(by observer: ContractObserver, retaining: Bool = true, tag: ObservationTag? = nil) -> Int {
        Self.unobserve(self, with: observer.observations(retaining: retaining), tag: tag)
    }

    /// Removes all observations of this.
    @discardableResult
    func unobserveAll(by observer: ContractObserver, retaining: Bool = true) -> Int {
        Self.unobserveAll(of: self, with: observer.observations(retaining: retaining))
    }

    /// Attempts to observe and to unobserve no subject at all.
    static func observeNothing(by observer: ContractObserver) -> (added: ObservationResult, removed: Int, removedOfObject: Int) {
        let observations = observer.retaining
        return (
            observe(nil, with: observations, tag: nil, ifAlreadyObserved: .ignore, handler: { _, _ in }, onTermination: nil),
            unobserve(nil, with: observations, tag: nil), unobserveAll(of: nil, with: observations)
        )
    }

    /// Lets a new subject observe itself, causes an event, and lets go of the subject while its controller lives on.
    ///
    /// - Returns: the controller's business afterwards: how many observations it still has.
    static func observeItself(retaining: Bool, _ log: EventLog<String>, _ tracker: LifetimeTracker) -> Int {
        func make() -> ObservationController<Self> {
            let subject = tracker.track(Self())
            let observations = ObservationController(observer: subject, retainsObserved: retaining)
            _ = observe(
                subject, with: observations, tag: nil, ifAlreadyObserved: .ignore,
                handler: { observer, number in log.append("itself \(number)") },
                onTermination: { log.append("itself ended: \($0)") })
            subject.cause(1)
            return observations
        }
        return make().unobserveAll()
    }
}
