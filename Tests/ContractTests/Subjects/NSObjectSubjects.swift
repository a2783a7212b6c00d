#if canImport(ObjectiveC)

    import Foundation
    import SafeKVO
    import SafeKVOFoundation

    /// A property of an `NSObject`, observed by Cocoa.
    final class NSObjectSubject: NSObject, ContractSubject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) one thread at a time uses it.

        @objc dynamic var number = 0

        func cause(_ number: Int) { self.number = number }

        static func observe<Observer: Sendable>(
            _ subject: NSObjectSubject?, with observations: ObservationController<Observer>, tag: ObservationTag?,
            ifAlreadyObserved: RepeatedObservation, handler: @escaping @Sendable (Observer, Int) -> Void,
            onTermination: (@Sendable (ObservationEndReason) -> Void)?
        ) -> ObservationResult {
            observations.observe(
                subject, \.number, options: .new, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
                handler: { observer, _, change in
                    if let number = change.newValue { handler(observer, number) }
                }, onTermination: onTermination)
        }

        static func unobserve<Observer>(
            _ subject: NSObjectSubject?, with observations: ObservationController<Observer>, tag: ObservationTag?
        ) -> Int {
            observations.unobserve(subject, \.number, tag: tag)
        }

        static func unobserveAll<Observer>(of subject: NSObjectSubject?, with observations: ObservationController<Observer>) -> Int {
            observations.unobserve(subject)
        }
    }

#endif
