internal import Foundation
internal import Synchronization

/// A test that finds out which of two observers Foundation calls first: an older one of all names, or a newer one of one name.
///
/// On Apple's platforms, Foundation calls the older observer first. On Linux, it calls the newer one first if a notification has
/// no object. Foundation's documentation does not say so. So the library tests it once, with a `NotificationCenter` of its own.
enum FoundationOrder {
    /// Returns `true` if Foundation calls an observer of one name before an earlier observer of all names.
    ///
    /// The answer may depend on whether the notification has an object.
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
