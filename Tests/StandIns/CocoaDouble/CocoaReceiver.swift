import SafeKVO
import SafeKVOFoundation

/// The one observer with which the library registers.
final class CocoaReceiver: CocoaObserver {
    override func observeValue(
        forKeyPath keyPath: String, of object: CocoaObject, change: [CocoaChangeKey: Any], context: UInt
    ) -> Bool {
        ForeignSubject.report(
            ForeignChange(
                kind: change[.kind] as? KeyValueChangeKind ?? .setting, indexes: change[.indexes] as? RangeSet<Int>,
                isPrior: change[.notificationIsPrior] != nil),
            of: keyPath, of: object, in: object.runtime)
        return true
    }
}
