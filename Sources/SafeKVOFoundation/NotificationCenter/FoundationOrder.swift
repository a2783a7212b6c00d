internal import Foundation
internal import Synchronization

/// A test that finds out whether Foundation calls an older observer of all names or a newer observer of one name first.
///
/// On Apple's platforms, the older observer is first. On Linux, the newer one is first if a notification has no object. Foundation's
/// documentation promises no order. So the library tests the order once.
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
