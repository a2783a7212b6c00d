import CocoaDouble
import SafeKVO
import SafeKVOFoundation
import Testing

/// A contract subject that another system observes.
protocol CocoaContractSubject: CocoaObject, ContractSubject {
    static var path: ForeignKeyPath { get }
}

extension CocoaContractSubject {
    static func observe<Observer: Sendable>(
        _ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, handler: @escaping @Sendable (Observer, Int) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) -> ObservationResult {
        let registration = Registration(.closure, .new, tag, ifAlreadyObserved, nil, #fileID, #line, onTermination)
        return observations.observe(subject, of: subject?.runtime ?? CocoaRuntime(), path, registration) {
            (observer, _: Self, change: KeyValueChange<Int>) in
            if let number = change.newValue { handler(observer, number) }
        }
    }

    static func unobserve<Observer>(_ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?) -> Int {
        observations.unobserve(subject, of: subject?.runtime ?? CocoaRuntime(), path, tag: tag)
    }

    static func unobserveAll<Observer>(of subject: Self?, with observations: ObservationController<Observer>) -> Int {
        observations.unobserve(subject)
    }
}

/// A key.
final class CocoaSubject: CocoaObject, CocoaContractSubject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) it adds nothing.

    static let path = ForeignKeyPath("number")

    init() { super.init(CocoaRuntime(), ["number": 0]) }

    deinit { expectNoException(runtime) }

    func cause(_ number: Int) { set(number, forKey: "number") }
}

/// A key of an object that another object holds.
final class NestedCocoaSubject: CocoaObject, CocoaContractSubject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) it adds nothing.

    static let path = ForeignKeyPath("inner.number")

    init() {
        let runtime = CocoaRuntime()
        super.init(runtime, ["inner": CocoaObject(runtime, ["number": 0])])
    }

    deinit { expectNoException(runtime) }

    func cause(_ number: Int) { (value(forKey: "inner") as? CocoaObject)?.set(number, forKey: "number") }
}

/// Looks at the end of an object what its own runtime has raised.
private func expectNoException(_ runtime: CocoaRuntime) {
    #expect(runtime.exceptions == [])
}
