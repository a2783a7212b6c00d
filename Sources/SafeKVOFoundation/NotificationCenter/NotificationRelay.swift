internal import Foundation
internal import SafeKVO

/// An object that registers with a `NotificationCenter` for each observed name and passes the notifications on to the observers.
///
/// If an observer wants all names, the relay registers for all names too. It calls Foundation outside its lock. It removes each
/// token only once, because Foundation could take a second removal for that of another observer.
final class NotificationRelay: TopicWatcher, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `plan`, `counted` and `departed` are protected by `lock`. `source` is written once,
    // before there are observers.

    let center: NotificationCenter
    /// The observable center whose observers are notified.
    weak var source: ObservableNotificationCenter?

    private typealias Plan = RelayPlan<any NSObjectProtocol>
    private let lock = NSLock()
    private var plan = Plan()
    /// The topics and the observers of all notifications that are counted in `plan`.
    ///
    /// A topic is an observed name, an observed object, or both together.
    private var counted: Set<ObjectIdentifier> = []
    /// The observers of all notifications that another thread removed before they were counted.
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

    /// Counts a new observer of all notifications, and registers for all names if necessary.
    ///
    /// The observer is already in its list when this is called.
    func observationDidBegin(_ info: ObservationInfo) {
        let request = lock.withLock { () -> Plan.Request? in
            if departed.remove(ObjectIdentifier(info)) != nil { return nil }
            counted.insert(ObjectIdentifier(info))
            plan.noteArrival()
            return plan.add(nil)
        }
        carryOut(request)
    }

    /// Subtracts a removed observer of all notifications from the count, and ends registrations that nobody needs.
    func observationDidEnd(_ info: ObservationInfo) {
        let tokens = lock.withLock { () -> [any NSObjectProtocol] in
            if counted.remove(ObjectIdentifier(info)) != nil { return plan.remove(nil) }
            departed.insert(ObjectIdentifier(info))
            return []
        }
        remove(tokens)
    }

    /// Removes all registrations with Foundation and makes no further ones.
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
            // Read the serial number under the lock. Then an observer that registers after this decision does not get the
            // notification.
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

    /// The names that are registered with Foundation; `nil` stands for all names.
    var registeredNames: [Notification.Name?] { lock.withLock { plan.registeredNames } }

    private var serial: UInt32 { source?.eventRegistrar.topicSerial ?? 0 }

    private static func name(_ subject: TopicKey.Subject) -> Notification.Name? {
        guard case .name(let name) = subject else { return nil }
        return Notification.Name(rawValue: name.rawValue)
    }
}
