internal import CSafeKVO

/// A key path that is being registered.
package final class PathTarget<Object: KeyValueObservable, Value>: ObservationTarget {
    private let object: Object
    private let typedKeyPath: KeyPath<Object, Value>
    private let observers: ObserverList
    /// Follows the properties on which a computed or nested key path depends; nil if the key path names an observed property.
    private let path: TrackedPath?
    /// The value that the registration has found, and the number of the evaluation that found it.
    private let evaluation: (value: Value, number: UInt64)?

    convenience init(
        of object: Object, _ keyPath: KeyPath<Object, Value>, _ steps: PathSteps, _ registration: borrowing Registration,
        by owner: ObservationOwner
    ) {
        self.init(of: object, keyPath, steps, at: registration.home(of: owner), keepsOld: registration.flags.wantsOldValue)
        warnIfSilent(at: registration.position)
        if PropertyAccess.isUntracked(object) { PropertyAccess.warnOfUntracked(type(of: object), at: registration.position) }
    }

    /// Makes the target of a key path whose changes another system reports, on any thread.
    package convenience init(
        of object: Object, _ keyPath: KeyPath<Object, Value>, named name: String, ofForeign registration: borrowing Registration
    ) {
        self.init(
            of: object, keyPath, PathSteps(keyPath, name: name), at: registration.homeOfForeign,
            keepsOld: registration.flags.wantsOldValue)
    }

    /// Finds the list of the key path; the first time, evaluates the key path to find its dependencies.
    ///
    /// They are followed until ``registrationDidEnd()``, even without observers.
    private init(of object: Object, _ keyPath: KeyPath<Object, Value>, _ steps: PathSteps, at home: Home, keepsOld: Bool) {
        (self.object, typedKeyPath) = (object, keyPath)
        var mustEvaluate: Bool?
        let makePath = {
            let active = TrackedPath.active(of: object, keyPath, steps, at: home, in: object.keyValueRegistrar.record(of: object))
            mustEvaluate = active.mustEvaluate
            return active.path
        }
        var list = object.keyValueRegistrar.withRecord(ownedBy: object) { $0.list(spelled: keyPath, at: home) } ?? nil
        if let path = list?.path {
            mustEvaluate = path.isExamined ? path.activate(at: home) : nil
            if mustEvaluate == nil { list = nil }
        }
        if list == nil {
            let recorder = AccessRecorder(Unretained(object).erased, registration: (keyPath, makePath))
            let value = recorder.record { object[keyPath: keyPath] }
            if let path = recorder.path {
                (observers, self.path) = (path.list, path)
                evaluation = Self.finish(path, object, recorder, value, keepsOld: keepsOld)
                return
            }
            list = Self.property(of: object, keyPath, recorder, orMake: makePath)
            if list == nil, keyPath.isEntireObject { list = object.keyValueRegistrar.record(of: object).list(spelled: keyPath, at: home) }
        }
        observers = list ?? makePath().list
        path = observers.path
        evaluation = path.flatMap { Self.evaluate($0, object, keyPath, mustEvaluate: mustEvaluate ?? false, keepsOld: keepsOld) }
    }

    /// Returns the list of the property that the key path names; nil if the value depends on more than the stored property.
    private static func property(
        of object: Object, _ keyPath: KeyPath<Object, Value>, _ recorder: AccessRecorder, orMake makePath: () -> TrackedPath
    ) -> ObserverList? {
        guard let hop = recorder.hops.first else { return nil }
        let list = PropertyAccess.makeList(
            of: object, hop.property, isInherited: hop.isInherited, isAtomic: hop.isAtomic, keyPath: { keyPath })
        // A subclass may override the getter of an inherited property. Then observers must get what the override returns.
        let isGetter = !hop.isInherited || recorder.hops.count == 1 && recorder.isChained
        if !isGetter { list.noteOverride() }
        if !isGetter || list.isDependent {
            let list = makePath().list
            list.noteOverriding()
            return list
        }
        list.noteGetterReadsStorage()
        // An object of a class that is to be warned of is looked at each time.
        if !hop.isInherited, hop.isConstant, recorder.hops.count == 1, list.isOfStoredProperty, !PropertyAccess.isUntracked(object) {
            KnownProperties.shared.add(KnownProperty(list, of: type(of: object), keyPath), keyPath)
        }
        return list
    }

    private static func finish(
        _ path: TrackedPath, _ object: Object, _ recorder: AccessRecorder, _ value: Value, keepsOld: Bool
    ) -> (value: Value, number: UInt64) {
        if recorder.joined != 0 {
            path.finishJoined(recorder, of: object, keepsOld ? OldValue.last(value) : nil)
            return (value, recorder.joined)
        }
        // The key path cannot be evaluated now, for instance while a dependency is being mutated in place.
        if recorder.evaluation == 0 { return (value, .max) }
        defer { path.passTurn(object) }
        let last = path.last
        let new = TypedPath<Object, Value>.finish(path, object, recorder, value, keepsOld: keepsOld).new
        // A notification that is on its way continues the last value of the other observers.
        if last != nil { path.keep(last) }
        return (new, path.evaluations)
    }

    private static func evaluate(
        _ path: TrackedPath, _ object: Object, _ keyPath: KeyPath<Object, Value>, mustEvaluate: Bool, keepsOld: Bool
    ) -> (value: Value, number: UInt64)? {
        // In a handler, the key path may not have been evaluated yet for the change that called the handler.
        let mustEvaluate = mustEvaluate || keepsOld && path.last == nil || safekvo_delivery() != 0
        guard mustEvaluate, let recorder = path.takeTurnOrJoin() else { return nil }
        // The path may start at another class, because all key paths to an overridden property share one path.
        guard type(of: path.keyPath) == type(of: keyPath) else {
            if recorder.joined != 0 { return nil }
            _ = path.steps.run(path, object, .evaluate(recorder))
            path.passTurn(object)
            return nil
        }
        let value = recorder.record { object[keyPath: keyPath] }
        return finish(path, object, recorder, value, keepsOld: keepsOld)
    }

    // MARK: The target

    package var keyPath: AnyKeyPath? { typedKeyPath }

    package var list: Unretained<ObserverList> { Unretained(observers) }

    /// The present value.
    ///
    /// If another thread has the path's turn, the path is linked to what this one reads. So whatever changes afterwards is delivered.
    package var present: Value {
        if let evaluation, let path, path.isPresent(evaluation.number) { return evaluation.value }
        guard let recorder = path?.join() else { return TypedPath<Object, Value>.look(object, typedKeyPath) }
        return recorder.record { object[keyPath: typedKeyPath] }
    }

    package func deliverPresent(to info: ObservationInfo) {
        let number = observers.lastChange
        var event = KeyValueEvent(subject: object, phase: .initial, new: present, old: nil)
        event.deliver(toStarting: info, readAfter: number)
    }

    package func registrationDidEnd() {
        guard let path else { return }
        path.deactivate()?()
        withExtendedLifetime(path.takeUnwanted()) {}
    }

    // MARK: Warnings

    private func warnIfSilent(at position: SourcePosition) {
        guard let path, !path.hasDependencies else { return }
        // A class that turns automatic notifications off is expected to send manual ones, so it gets no warning.
        guard Recording.suspended({ type(of: object).automaticallyNotifiesObservers(for: ObservedKeyPath(typedKeyPath)) }) else { return }
        let (why, cure) =
            typedKeyPath.isKnownToBeStored
            ? (
                "leads to a stored property without `@Observed`",
                "Declare it `@Observed`, or make it a computed property whose getter calls"
            )
            : ("reads no observed property", "Declare what it reads `@Observed`, or let its getter call")
        // `\.progress` instead of `\.progress.value`, where `progress` is an `ObservedValue`.
        let isOfObject = Value.self is any KeyPathObservable.Type
        let end = isOfObject ? "If a change of the `\(Value.self)` is meant, add its property to the key path. Otherwise: " : ""
        ObservationDiagnostics.warnOnce(
            .nothingObservable, at: position,
            """
            The observation of `\(observers.qualifiedName)` at \(position) gets no automatic notifications, because the key path \(why). \
            \(end)\(cure) \
            `access(_:)` with a key that you announce by `withChange(of:_:)`. Or name what it depends on in `keyPathsForValuesAffectingValue(for:)`.
            """)
    }
}
