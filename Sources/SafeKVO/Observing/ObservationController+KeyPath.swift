/// One key path of one object.
extension ObservationController {
    /// Observes a key path: calls the handler with the present value before this returns, then with each new one.
    ///
    /// ```swift
    /// observations.observe(clock, \.date) { view, date in view.date = date }
    /// ```
    ///
    /// The handler runs on the thread that makes the change, before the setter returns, in the order in which observers registered. It
    /// gets the observer, so it need not capture it. It is released when the observation ends.
    ///
    /// No value is handed over after a newer one. If a handler that comes earlier in the order sets the property, this one gets the value that
    /// it set, and not the one before, which ``ObservationCounters/overtaken`` counts. The form that is handed changes gets all of them.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - initial: `false` leaves out the present value: the handler is called with new values only.
    ///   - removing: `.duplicates` leaves out a value that equals the one that was handed over last.
    ///   - tag: Keeps two observations of one key path apart.
    ///   - ifAlreadyObserved: What happens if this controller observes the key path of the object under the tag already.
    ///   - isolation: Leave it out: it tells where the handler was formed.
    ///   - fileID: Leave it out: it tells diagnostics where the registration was written.
    ///   - line: Leave it out, likewise.
    ///   - handler: Called with the observer and the value.
    ///   - onTermination: Called once, after the last call, with the reason for which the observation ended.
    /// - Returns: whether the observation was added; nothing is wrong if it was not.
    /// - Complexity: O(1), however many others observe.
    @inlinable
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ value: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let request = _ObservationRequest<Observer>(
            core, kind: .closure, options: .value(initial: initial), tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, wantsWholeValues: true,
            filter: DuplicateFilter.filter(removing))
        return observe(object, keyPath, request, valueHandler: handler)
    }

    /// Observes a key path: calls the handler with each change, as the options ask.
    ///
    /// ```swift
    /// observations.observe(clock, \.zone, options: [.old, .new]) { view, clock, change in
    ///     view.log("\(change.oldValue) became \(change.newValue)")
    /// }
    /// ```
    ///
    /// The handler runs on the thread that makes the change, before the setter returns, in the order in which observers registered. It may
    /// read and set the property; a set in a handler is a change of its own, delivered at once. It is released when the observation ends.
    ///
    /// - Parameters:
    ///   - object: What to observe. Observing `nil` does nothing.
    ///   - keyPath: Which of its values.
    ///   - options: What is delivered, and when.
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
    @inlinable
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let request = _ObservationRequest<Observer>(
            core, kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, filter: DuplicateFilter.filter(removing))
        return observe(object, keyPath, request, handler: handler)
    }

    /// Observes a key path as the form with a closure that takes changes, and calls a method of the observer without arguments.
    ///
    /// ```swift
    /// observations.observe(clock, \.date, action: ClockView.redraw)
    /// ```
    ///
    /// The method is not bound to the observer, so nothing is retained.
    @inlinable
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> () -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let request = _ObservationRequest<Observer>(
            core, kind: .action, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, filter: DuplicateFilter.filter(removing))
        return observe(object, keyPath, request) { observer, _, _ in action(observer)() }
    }

    /// Observes a key path as the form with a closure that takes changes, and calls a method of the observer with the change.
    ///
    /// ```swift
    /// observations.observe(clock, \.date, action: ClockView.dateDidChange(_:))
    /// ```
    @inlinable
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (KeyValueChange<Value>) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let request = _ObservationRequest<Observer>(
            core, kind: .action, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, filter: DuplicateFilter.filter(removing))
        return observe(object, keyPath, request) { observer, _, change in action(observer)(change) }
    }

    /// Observes a key path as the form with a closure that takes changes, and calls a method of the observer with the change and the object.
    ///
    /// ```swift
    /// observations.observe(clock, \.date, action: ClockView.dateDidChange(_:of:))
    /// ```
    @inlinable
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        action: @escaping (Observer) -> (KeyValueChange<Value>, Object) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let request = _ObservationRequest<Observer>(
            core, kind: .action, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: isolation,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, filter: DuplicateFilter.filter(removing))
        return observe(object, keyPath, request) { observer, object, change in action(observer)(change, object) }
    }

    /// Observes a key path of an object that may change on any thread: calls the handler with each value, where it says.
    ///
    /// ```swift
    /// observations.observe(download, \.progress, on: .mainActor { bar, progress in bar.progress = progress })
    /// ```
    ///
    /// In the place of the handler the present value is delivered before this returns, if that place is the main actor or any thread. See
    /// ``ObservationHandler`` for the places, the order and the lifetimes. Everything else is as for the form with a closure that takes values.
    @discardableResult
    public func observe<Object: KeyPathObservable & Sendable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: sending RemovingDuplicates<Value>? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore, on handler: ObservationHandler<Observer, Value>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let request = _ObservationRequest<Observer>(
            core,
            Registration(
                handler.place, of: core, options: .value(initial: initial), tag: tag, ifAlreadyObserved: ifAlreadyObserved,
                position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, wantsWholeValues: true,
                filter: DuplicateFilter.filter(removing)))
        return observe(object, keyPath, request, valueHandler: handler.function)
    }

    /// Observes a key path of an object that may change on any thread: calls the handler with each change, where it says.
    ///
    /// ```swift
    /// observations.observe(download, \.progress, options: .old, on: .mainActor { bar, download, change in bar.show(change) })
    /// ```
    ///
    /// With `.prior` among the options, the registration is refused, unless the place is any thread. See ``ObservationHandler`` for the places, the
    /// order and the lifetimes. Everything else is as for the form with a closure that takes changes.
    @discardableResult
    public func observe<Object: KeyPathObservable & Sendable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: sending RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        on handler: ObservationChangeHandler<Observer, Object, KeyValueChange<Value>, Value>,
        fileID: StaticString = #fileID, line: UInt = #line, onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let request = _ObservationRequest<Observer>(
            core,
            Registration(
                handler.place, of: core, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved,
                position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, filter: DuplicateFilter.filter(removing)
            ))
        return observe(object, keyPath, request, handler: handler.function)
    }
}

/// The observer is an actor, and what it observes changes inside it.
extension ObservationController where Observer: Actor {
    /// Observes a key path of an object that the observing actor owns: calls the handler inside the actor with each value.
    ///
    /// ```swift
    /// observations.observe(tank, \.level) { plant, level in plant.levels.append(level) }
    /// ```
    ///
    /// The handler gets the actor `isolated`, and captures nothing. A change that is made outside the actor is not delivered, and is counted.
    /// Everything else is as for the form with a closure that takes values.
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, initial: Bool = true, removing: RemovingDuplicates<Value>? = nil,
        tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: isolated Observer, _ value: Value) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let request = _ObservationRequest<Observer>(
            core, kind: .closure, options: .value(initial: initial), tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: observer,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, wantsWholeValues: true,
            filter: DuplicateFilter.filter(removing))
        // SAFETY: the broker calls the handler only if the observer's code is running.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Value) -> Void).self)
        return observe(object, keyPath, request, valueHandler: handler)
    }

    /// Observes a key path of an object that the observing actor owns, as the form that takes values, and calls the handler with each change.
    ///
    /// ```swift
    /// observations.observe(tank, \.level, options: .old) { plant, tank, change in plant.levels.append(change.oldValue ?? 0) }
    /// ```
    @discardableResult
    public func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, options: KeyValueObservingOptions = .new,
        removing: RemovingDuplicates<Value>? = nil, tag: ObservationTag? = nil, ifAlreadyObserved: RepeatedObservation = .ignore,
        fileID: StaticString = #fileID, line: UInt = #line,
        handler: @escaping @Sendable (_ observer: isolated Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationResult {
        let request = _ObservationRequest<Observer>(
            core, kind: .closure, options: options, tag: tag, ifAlreadyObserved: ifAlreadyObserved, isolation: observer,
            position: SourcePosition(fileID: fileID, line: line), onTermination: onTermination, filter: DuplicateFilter.filter(removing))
        // SAFETY: the broker calls the handler only if the observer's code is running.
        let handler = unsafe unsafeBitCast(handler, to: ((Observer, Object, KeyValueChange<Value>) -> Void).self)
        return observe(object, keyPath, request, handler: handler)
    }
}

/// What the forms share.
extension ObservationController {
    /// Observes a key path as a request says.
    @inlinable
    func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        handler: @escaping (_ observer: Observer, _ object: Object, _ change: KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        guard let object else { return request.registration.refused(.noObject) }
        return object._observe(keyPath, request, change: handler)
    }

    /// Observes a key path as a request says.
    @inlinable
    func observe<Object: KeyPathObservable, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
        valueHandler: @escaping (_ observer: Observer, _ value: Value) -> Void
    ) -> ObservationResult {
        guard let object else { return request.registration.refused(.noObject) }
        return object._observe(keyPath, request, value: valueHandler)
    }
}
