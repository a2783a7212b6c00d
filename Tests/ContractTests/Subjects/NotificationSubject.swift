import Foundation
import SafeKVO
import SafeKVOFoundation

/// Notifications of Foundation, of one name.
extension ObservableNotificationCenter: ContractSubject {
    private static let name = Notification.Name("number")

    convenience init() {
        self.init(NotificationCenter())
    }

    func cause(_ number: Int) {
        center.post(name: Notification.Name("other"), object: nil, userInfo: ["number": -1])
        center.post(name: Self.name, object: nil, userInfo: ["number": number])
    }

    static func observe<Observer: Sendable>(
        _ subject: ObservableNotificationCenter?, with observations: ObservationController<Observer>, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, handler: @escaping @Sendable (Observer, Int) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) -> ObservationResult {
        observations.observe(
            subject, for: name, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
            handler: { observer, notification in
                if let number = notification.userInfo?["number"] as? Int { handler(observer, number) }
            }, onTermination: onTermination)
    }

    static func unobserve<Observer>(
        _ subject: ObservableNotificationCenter?, with observations: ObservationController<Observer>, tag: ObservationTag?
    ) -> Int {
        observations.unobserve(subject, for: name, tag: tag)
    }

    static func unobserveAll<Observer>(of subject: ObservableNotificationCenter?, with observations: ObservationController<Observer>) -> Int
    {
        observations.unobserve(subject)
    }
}
