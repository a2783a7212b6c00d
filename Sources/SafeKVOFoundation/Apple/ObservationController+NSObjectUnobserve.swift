#if canImport(ObjectiveC)

    public import Foundation
    public import SafeKVO

    extension ObservationController {
        /// Removes the observation of a key path by its name.
        ///
        /// - Parameters:
        ///   - object: The observed object.
        ///   - name: The name of the key path, which may have been observed as a key path.
        ///   - tag: The tag that it was observed under, if any.
        /// - Returns: how many observations were removed: one or none.
        /// - Complexity: O(1), however many others observe.
        @discardableResult
        public func unobserve<Object: NSObject>(_ object: Object?, _ name: String, tag: ObservationTag? = nil) -> Int {
            unobserve(object, of: CocoaSystem.shared, ForeignKeyPath(name), tag: tag)
        }
    }

#endif
