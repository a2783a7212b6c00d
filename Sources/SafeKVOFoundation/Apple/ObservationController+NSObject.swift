#if canImport(ObjectiveC)

    public import Foundation
    public import SafeKVO

    extension ObservationController {
        /// Calls a closure with each change of an `NSObject`'s property, whose key path is given by name.
        ///
        /// ```swift
        /// observations.observe(
        ///     player, #keyPath(Player.rate), as: Float.self, options: [.old, .new]
        /// ) { view, player, change in
        ///     view.log("\(change.oldValue) became \(change.newValue)")
        /// }
        /// ```
        ///
        /// The property must be declared `@objc dynamic`, and so must each property of a nested key path. If one is not, no change is
        /// delivered and a warning is reported.
        ///
        /// The handler runs on the thread that makes the change, before the setter returns. Observers are called in the order in which they
        /// registered. If the handler sets the property, that is a separate change, and observers are notified of it before the assignment
        /// returns. The handler is released when the observation ends.
        ///
        /// - Parameters:
        ///   - object: The object to observe. If it is `nil`, nothing is registered.
        ///   - name: The name of the key path from the object to the value.
        ///   - type: The type of the values. A value of another type is skipped and reported. Use an optional type if the value may be
        ///     `nil`.
        ///   - options: The values that each change contains (`.new`, `.old`), and additional calls (`.initial`, `.prior`).
        ///   - removing: `.duplicates` to skip a change whose old value and new value are equal.
        ///   - tag: A tag that tells apart two observations of one key path.
        ///   - ifAlreadyObserved: The action if the controller already observes this key path of the object with this tag.
        ///   - handler: A closure that takes the observer, the object and the change.
        ///   - onTermination: Called once, after the last call of the handler, with the reason why the observation ended.
        /// - Returns: A result that says whether the observation was added.
        /// - Complexity: O(1), regardless of the number of other observers.
        @discardableResult
        public func observe<Object: NSObject, Value>(
            _ object: Object?, _ name: String, as type: Value.Type, options: KeyValueObservingOptions,
            removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
            ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
            fileID: StaticString = #fileID, line: UInt = #line,
            handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
            onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
        ) -> ObservationResult {
            let registration = Registration(
                .closure, options, tag, ifAlreadyObserved, isolation, fileID, line, onTermination, removing?.filter)
            return observe(object, of: CocoaSystem.shared, ForeignKeyPath(name), registration, handler: handler)
        }

        /// Calls a closure with the present value of an `NSObject`'s property, then with each new one.
        ///
        /// ```swift
        /// observations.observe(
        ///     album, #keyPath(Album.next.title), as: String?.self
        /// ) { view, title in view.title = title }
        /// ```
        ///
        /// The first call happens before this function returns, unless `initial` is `false`. Otherwise this overload works like
        /// the one that takes a closure with a change.
        @discardableResult
        public func observe<Object: NSObject, Value>(
            _ object: Object?, _ name: String, as type: Value.Type, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
            tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
            fileID: StaticString = #fileID, line: UInt = #line,
            handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
            onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
        ) -> ObservationResult {
            let registration = Registration(
                .closure, .value(initial), tag, ifAlreadyObserved, isolation, fileID, line, onTermination, removing?.filter)
            return observe(object, of: CocoaSystem.shared, ForeignKeyPath(name), registration, valueHandler: handler)
        }
    }

    extension ObservationControllerBase {
        /// Removes the observation of a key path that is given by name, even if the registration used a Swift key path.
        ///
        /// - Returns: The number of removed observations: one or zero.
        /// - Complexity: O(1), regardless of the number of other observers.
        @discardableResult
        public func unobserve<Object: NSObject>(_ object: Object?, _ name: String, tag: ObservationTag? = nil) -> Int {
            unobserve(object, of: CocoaSystem.shared, ForeignKeyPath(name), tag: tag)
        }
    }

#endif
