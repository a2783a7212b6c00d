#if canImport(ObjectiveC)

    import Foundation
    import SafeKVO

    /// The one observer that Cocoa knows.
    ///
    /// The context of a registration is its number, not an address: what Cocoa hands back after an end reaches nobody.
    final class CocoaReceiver: NSObject, Sendable {
        override func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
        ) {
            // The number, which is not followed.
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
            // SAFETY: the pointer that would stop the enumeration is not used.
            unsafe indexes.enumerateRanges { range, _ in ranges.insert(contentsOf: range.location..<range.location + range.length) }
            return ranges
        }
    }

#endif
