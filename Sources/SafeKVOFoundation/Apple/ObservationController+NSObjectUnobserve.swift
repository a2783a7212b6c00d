#if canImport(ObjectiveC)

    public import Foundation
    public import SafeKVO

    extension ObservationController {
        /// Removes the observation of a key path.
        ///
        /// When it returns, no new call starts, not even in a delivery under way; a call that is running elsewhere ends by itself. Removing
        /// what is not observed does nothing, and is counted.
        ///
        /// - Parameters:
        ///   - object: The observed object.
        ///   - keyPath: The key path; it may have been observed by its name.
        ///   - tag: The tag that it was observed under, if any.
        /// - Returns: how many observations were removed: one or none.
        /// - Complexity: O(1), however many others observe.
        @_disfavoredOverload
        @discardableResult
        public func unobserve<Object: NSObject, Value>(
            _ object: Object?, _ keyPath: KeyPath<Object, Value>, tag: ObservationTag? = nil
        ) -> Int {
            unobserve(object, of: CocoaSystem.shared, CocoaSystem.path(keyPath), tag: tag)
        }

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

        /// Removes the observations of several key paths.
        ///
        /// - Parameters:
        ///   - object: The observed object.
        ///   - keyPaths: The key paths.
        ///   - tag: The tag that they were observed under, if any.
        /// - Returns: how many observations were removed.
        /// - Complexity: O(*k*) for *k* key paths.
        @_disfavoredOverload
        @discardableResult
        public func unobserve<Object: NSObject>(
            _ object: Object?, _ keyPaths: [PartialKeyPath<Object>], tag: ObservationTag? = nil
        ) -> Int {
            keyPaths.reduce(0) { $0 + unobserve(object, of: CocoaSystem.shared, CocoaSystem.path($1), tag: tag) }
        }

        /// Removes all observations of an object, under every tag.
        ///
        /// - Parameter object: The observed object.
        /// - Returns: how many observations were removed.
        /// - Complexity: O(*k*) for *k* observations of the object by this controller.
        @_disfavoredOverload
        @discardableResult
        public func unobserve<Object: NSObject>(_ object: Object?) -> Int {
            unobserve(object, of: CocoaSystem.shared)
        }
    }

#endif
