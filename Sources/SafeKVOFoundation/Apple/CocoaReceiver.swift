#if canImport(ObjectiveC)

    import Foundation
    import SafeKVO

    /// The one object that is registered with Cocoa as an observer, and that receives all of Cocoa's notifications.
    ///
    /// The context of each registration is its number. If Cocoa calls this object after a registration has ended, the number is unknown and
    /// the call is ignored.
    final class CocoaReceiver: NSObject, Sendable {
        override func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
        ) {
            ForeignRegistrations.report(
                UInt(bitPattern: context),
                ForeignChange(
                    kind: Self.kind(change?[.kindKey]), indexes: (change?[.indexesKey] as? NSIndexSet).map(Self.indexes),
                    isPrior: change?[.notificationIsPriorKey] as? Bool ?? false))
        }

        private static func kind(_ value: Any?) -> KeyValueChangeKind {
            switch (value as? UInt).flatMap({ NSKeyValueChange(rawValue: $0) }) {
            case .insertion: .insertion
            case .removal: .removal
            case .replacement: .replacement
            default: .setting
            }
        }

        private static func indexes(_ indexes: NSIndexSet) -> RangeSet<Int> {
            var ranges = RangeSet<Int>()
            // SAFETY: The pointer, which could stop the enumeration, is not used.
            unsafe indexes.enumerateRanges { range, _ in ranges.insert(contentsOf: range.location..<range.location + range.length) }
            return ranges
        }
    }

#endif
