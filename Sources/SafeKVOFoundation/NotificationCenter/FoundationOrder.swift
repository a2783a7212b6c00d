internal import Foundation

/// The order in which Foundation calls two observers of which the first asks for every name and the second for one.
///
/// On Apple's platforms it is the order in which they came. On Linux it is not, if a notification has no object. No documentation says so: it is
/// tried out once, with a centre that nobody else has.
enum FoundationOrder {
    /// Whether the observer of the name is called first.
    static func callsNameFirst(withObject: Bool) -> Bool { withObject ? order.withObject : order.withoutObject }

    private static let order = (withObject: callsNameFirst(NSObject()), withoutObject: callsNameFirst(nil))

    private static func callsNameFirst(_ object: NSObject?) -> Bool {
        let center = NotificationCenter()
        let calls = Calls()
        let name = Notification.Name(rawValue: "SafeKVO.FoundationOrder")
        let tokens = [
            center.addObserver(forName: nil, object: nil, queue: nil) { _ in calls.note(isOfName: false) },
            center.addObserver(forName: name, object: nil, queue: nil) { _ in calls.note(isOfName: true) },
        ]
        center.post(name: name, object: object)
        for token in tokens { center.removeObserver(token) }
        return calls.nameWasFirst
    }

    private final class Calls: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) `first` belongs to `lock`.
        private let lock = NSLock()
        private var first: Bool?

        func note(isOfName: Bool) { lock.withLock { first = first ?? isOfName } }

        var nameWasFirst: Bool { lock.withLock { first ?? false } }
    }
}
