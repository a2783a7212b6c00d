internal import Foundation
internal import SafeKVO

/// Registers with a `NotificationCenter` for the names that are observed, and for every name while somebody observes every name.
///
/// Foundation is called outside the lock. Each token is removed once: Foundation might take a second removal for that of another observer.
final class NotificationRelay: TopicWatcher, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the plan and the sets belong to `lock`; `source` is written once, before anybody observes.

    let center: NotificationCenter
    /// The source whose observers are notified.
    weak var source: ObservableNotificationCenter?

    private typealias Plan = RelayPlan<any NSObjectProtocol>
    private let lock = NSLock()
    private var plan = Plan()
    /// The topics and the observers of everything that are counted in.
    private var counted: Set<ObjectIdentifier> = []
    /// The observers of everything that another thread has removed before they were counted in.
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

    /// Counts in an observer of everything, which is in its list.
    func observationDidBegin(_ info: ObservationInfo) {
        let request = lock.withLock { () -> Plan.Request? in
            if departed.remove(ObjectIdentifier(info)) != nil { return nil }
            counted.insert(ObjectIdentifier(info))
            plan.noteArrival()
            return plan.add(nil)
        }
        carryOut(request)
    }

    /// Counts out an observer of everything.
    func observationDidEnd(_ info: ObservationInfo) {
        let tokens = lock.withLock { () -> [any NSObjectProtocol] in
            if counted.remove(ObjectIdentifier(info)) != nil { return plan.remove(nil) }
            departed.insert(ObjectIdentifier(info))
            return []
        }
        remove(tokens)
    }

    /// Removes all registrations, for good.
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
            // Read under the lock: an observer that is registered after a decision is not part of it.
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

    /// The names that Foundation is asked for; nil for every name.
    var registeredNames: [Notification.Name?] { lock.withLock { plan.registeredNames } }

    private var serial: UInt32 { source?.eventRegistrar.topicSerial ?? 0 }

    private static func name(_ subject: TopicKey.Subject) -> Notification.Name? {
        guard case .name(let name) = subject else { return nil }
        return Notification.Name(rawValue: name.rawValue)
    }
}
