import SafeKVO
import SafeKVOTesting

/// A way in which an observation comes and goes.
struct ContractEnding: Sendable, CustomStringConvertible {
    /// What ends it.
    enum Cause: String, CaseIterable, Sendable {
        case unobserve, unobserveObject, unobserveAll, invalidate, controllerGoes
    }

    let cause: Cause
    /// Whether the controller retains the subject.
    let retains: Bool
    /// Whether nobody else observes the subject.
    let isLast: Bool
    /// Whether the subject is its own observer.
    let isOfItself: Bool

    /// Every combination.
    static let all = Cause.allCases.flatMap { cause in
        [true, false].flatMap { retains in
            [true, false].flatMap { isLast in
                [true, false].map { ContractEnding(cause: cause, retains: retains, isLast: isLast, isOfItself: $0) }
            }
        }
    }

    var description: String {
        "\(cause)\(retains ? ", retaining" : "")\(isLast ? ", the last" : "")\(isOfItself ? ", of itself" : "")"
    }

    /// Why the observation ends.
    var reason: ObservationEndReason {
        cause == .invalidate || cause == .controllerGoes ? .controllerInvalidated : .removed
    }
}

extension ContractSubject {
    /// Lets an observation come, hear one event, and go.
    func observeAndEnd(_ ending: ContractEnding, _ number: Int, _ log: EventLog<String>) {
        if ending.isOfItself {
            observeAndEnd(ending, number, log, by: self)
        } else {
            observeAndEnd(ending, number, log, by: ContractObserver("a", log))
        }
    }

    private func observeAndEnd<Observer: AnyObject & Sendable>(
        _ ending: ContractEnding, _ number: Int, _ log: EventLog<String>, by observer: Observer
    ) {
        do {
            let observations = ObservationController(observer: observer, retainsObserved: ending.retains)
            _ = Self.observe(
                self, with: observations, tag: nil, ifAlreadyObserved: .ignore, handler: { _, number in log.append("a \(number)") },
                onTermination: { log.append("a ended: \($0)") })
            cause(number)
            switch ending.cause {
            case .unobserve: _ = Self.unobserve(self, with: observations, tag: nil)
            case .unobserveObject: _ = Self.unobserveAll(of: self, with: observations)
            case .unobserveAll: observations.unobserveAll()
            case .invalidate: observations.invalidate()
            case .controllerGoes: break
            }
        }
        withExtendedLifetime(observer) {}
    }
}
