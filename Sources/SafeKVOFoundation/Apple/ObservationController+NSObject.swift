#if canImport(ObjectiveC)

    public import Foundation
    public import SafeKVO

    extension ObservationController {
        /// Observes a key path: calls the handler with each change, told as the options ask.
        ///
        /// ```swift
        /// observations.observe(player, #keyPath(Player.rate), as: Float.self, options: [.old, .new]) { view, player, change in
        ///     view.log("\(change.oldValue) became \(change.newValue)")
        /// }
        /// ```
        ///
        /// The property must be declared `@objc dynamic`, as must each on the way of a nested key path; if one is not, a warning is reported and
        /// nothing is heard.
        ///
        /// The handler runs on the thread that makes the change, before the setter returns, in the order in which observers registered. It may
        /// read and set the property; a set in a handler is a change of its own, told at once. It is released when the observation ends.
        ///
        /// - Parameters:
        ///   - object: What to observe. Observing `nil` does nothing.
        ///   - name: The name of a key path: which of its values.
        ///   - type: The type of the values. A value of another type is left out, and reported; give an optional type where there may be nil.
        ///   - options: What to be told, and when.
        ///   - removing: `.duplicates` leaves out changes between equal values.
        ///   - tag: Keeps two observations of one key path apart.
        ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
        ///   - isolation: Leave it out: it tells where the handler was formed.
        ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
        ///   - line: Leave it out, likewise.
        ///   - handler: Called with the observer, the object and the change.
        ///   - onTermination: Called once, after the last call, with the reason for which the observation ended.
        /// - Returns: whether the observation was added; nothing is wrong if it was not.
        /// - Complexity: O(1), however many others observe.
        @discardableResult
        public func observe<Object: NSObject, Value>(
            _ object: Object?, _ name: String, as type: Value.Type, options: KeyValueObservingOptions = .new,
            removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil,
            ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
            fileID: StaticString = #fileID, line: UInt = #line,
            handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
            onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
        ) -> ObservationResult {
            let registration = Registration(
                kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
                position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination)
            return observe(object, of: CocoaSystem.shared, ForeignKeyPath(name), registration, removing: removing, handler: handler)
        }

        /// Observes a key path by its name as the form that takes changes, and calls the handler with the present value before this returns, unless
        /// `initial` is `false`, then with each new one.
        ///
        /// ```swift
        /// observations.observe(album, #keyPath(Album.next.title), as: String?.self) { view, title in view.title = title }
        /// ```
        @discardableResult
        public func observe<Object: NSObject, Value>(
            _ object: Object?, _ name: String, as type: Value.Type, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
            tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
            fileID: StaticString = #fileID, line: UInt = #line,
            handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
            onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
        ) -> ObservationResult {
            let registration = Registration(
                kind: .closure, options: .value(initial: initial), tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
                position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, wantsWholeValues: true)
            return observe(object, of: CocoaSystem.shared, ForeignKeyPath(name), registration, removing: removing, valueHandler: handler)
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
    }

#endif
