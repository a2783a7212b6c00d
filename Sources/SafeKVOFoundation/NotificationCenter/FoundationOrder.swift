internal import Foundation
internal import Synchronization

/// A test of the order in which Foundation calls two observers: an older one of all names, and a newer one of the posted name.
///
/// On Apple's platforms, the older observer is called first. On Linux, the newer one is called first if a notification has no object.
/// Foundation's documentation promises no order, so the library makes this test once.
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
