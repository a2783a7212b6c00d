internal import Foundation
internal import SafeKVO
internal import Synchronization

/// Receives the notifications of a `NotificationCenter`, and passes them on to the observers.
///
/// ``RelayPlan`` decides for which names this object registers with Foundation. `lock` is not held while Foundation is called. A second
/// removal of a registration could end another observer's registration, so each registration is removed only once.
final class NotificationRelay: TopicWatcher, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `lock` protects `plan`, `counted` and `departed`. `source` is written once, before there are
    // observers.

    let center: NotificationCenter
    weak var source: ObservableNotificationCenter?

    private typealias Plan = RelayPlan<any NSObjectProtocol>
    private let lock = NSLock()
    private var plan = Plan()
    private var counted: Set<ObjectIdentifier> = []
    /// Observers whose removal was reported before their addition.
    ///
    /// Two threads may make the two reports, so the reports can arrive in the wrong order. The late report of the addition is then ignored.
    private var departed: Set<ObjectIdentifier> = []

    init(_ center: NotificationCenter) {
        self.center = center
    }

    func topicWillBeObserved(_ subject: TopicKey.Subject, _ topic: ObjectIdentifier) {
        let name = Self.name(subject)
        carryOut(lock.withLock { counted.insert(topic).inserted ? plan.add(name) : plan.request(name) })
    }

    func everyNameWasObserved() {
        lock.withLock { plan.noteArrival() }
    }

    func topicWasForgotten(_ subject: TopicKey.Subject, _ topic: ObjectIdentifier) {
        remove(lock.withLock { counted.remove(topic) == nil ? [] : plan.remove(Self.name(subject)) })
    }

    func observationDidBegin(_ info: ObservationInfo) {
        let request = lock.withLock { () -> Plan.Request? in
            if departed.remove(ObjectIdentifier(info)) != nil { return nil }
            counted.insert(ObjectIdentifier(info))
            plan.noteArrival()
            return plan.add(nil)
        }
        carryOut(request)
    }

    func observationDidEnd(_ info: ObservationInfo) {
        let tokens = lock.withLock { () -> [any NSObjectProtocol] in
            if counted.remove(ObjectIdentifier(info)) != nil { return plan.remove(nil) }
            departed.insert(ObjectIdentifier(info))
            return []
        }
        remove(tokens)
    }

    func end() {
        remove(lock.withLock { plan.end() })
    }

    private func carryOut(_ request: Plan.Request?) {
        var next = request
        while let request = next {
            next = nil
            let token = center.addObserver(forName: request.name, object: nil, queue: nil) { [weak self] in self?.relay($0, for: request) }
            switch lock.withLock({ plan.register(token, for: request, serial: serial) }) {
            case .current: break
            case .superfluous: remove([token])
            case .outdated(let other):
                remove([token])
                next = other
            }
        }
    }

    private func remove(_ tokens: [any NSObjectProtocol]) {
        for token in tokens { center.removeObserver(token) }
    }

    private func relay(_ notification: Notification, for request: Plan.Request) {
        guard let source else { return }
        if lock.withLock({ plan.servesEverybody(request) }) { return source.relay(notification, to: .everybody) }
        let thread = TopicTable.thread
        let callsNameFirst = FoundationOrder.callsNameFirst(withObject: notification.object != nil)
        let (audience, serial) = lock.withLock {
            // Read the serial number under the lock, so that later observers do not get this notification.
            let serial = source.eventRegistrar.topicSerial
            let audience = plan.audience(
                of: request, for: notification.name, serial: serial, thread: thread, callsNameFirst: callsNameFirst)
            return (audience, serial)
        }
        guard let audience else { return }
        source.relay(notification, to: audience)
        if request.name == nil, !callsNameFirst {
            lock.withLock { plan.didServe(request, notification.name, serial: serial, thread: thread) }
        }
    }

    var registeredNames: [Notification.Name?] { lock.withLock { plan.registeredNames } }

    private var serial: UInt64 { source?.eventRegistrar.topicSerial ?? 0 }

    private static func name(_ subject: TopicKey.Subject) -> Notification.Name? {
        guard case .name(let name) = subject else { return nil }
        return Notification.Name(rawValue: name.rawValue)
    }
}

/// Finds out whether Foundation calls a newer observer of the posted name before an older observer of every name.
///
/// Foundation promises no order. On Linux, the newer observer comes first if a notification has no object.
enum FoundationOrder {
    static func callsNameFirst(withObject: Bool) -> Bool { withObject ? order.withObject : order.withoutObject }

    private static let order = (withObject: callsNameFirst(NSObject()), withoutObject: callsNameFirst(nil))

    private static func callsNameFirst(_ object: NSObject?) -> Bool {
        let center = NotificationCenter()
        let isNameFirst = Mutex<Bool?>(nil)
        let name = Notification.Name(rawValue: "SafeKVO.FoundationOrder")
        let tokens = [
            center.addObserver(forName: nil, object: nil, queue: nil) { _ in isNameFirst.withLock { $0 = $0 ?? false } },
            center.addObserver(forName: name, object: nil, queue: nil) { _ in isNameFirst.withLock { $0 = $0 ?? true } },
        ]
        center.post(name: name, object: object)
        for token in tokens { center.removeObserver(token) }
        return isNameFirst.withLock { $0 ?? false }
    }
}
