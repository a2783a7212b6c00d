/// The result of looking up a key path: the observer list, and a ``TrackedPath`` if the value depends on other properties.
struct KeyPathResolution<Root: KeyValueObservable, Value> {
    let list: ObserverList
    /// Follows the properties on which a computed or nested key path depends; nil if the key path names an observed property.
    let tracked: TrackedPath?
    /// The value that the lookup has found, and the number of the evaluation that found it.
    private let evaluation: (value: Value, number: UInt64)?

    /// Looks up a key path; the first lookup evaluates the key path to find its dependencies.
    ///
    /// The caller must call ``finish()``. Until then, the dependencies are followed even without observers.
    init(of object: Root, _ keyPath: KeyPath<Root, Value>, _ steps: PathSteps, at home: Home, keepsOld: Bool) {
        let record = object.keyValueRegistrar.record(of: object)
        if let known = record.list(spelled: keyPath, where: { $0.isAt(home) }) {
            let path = known.hook == nil ? nil : known.hook as? TrackedPath
            if path?.isExamined ?? true {
                list = known
                tracked = path
                evaluation = path.flatMap { Self.activate($0, object, keyPath, record, keepsOld: keepsOld) }
                return
            }
        }
        let recorder = KeyPathRecorder(root: object, keyPath: keyPath, steps: steps, home: home)
        let value = recorder.record { object[keyPath: keyPath] }
        let property = recorder.property.map {
            PropertyAccess.makeList(
                of: object, $0.identity, isInherited: $0.isInherited, isAtomic: $0.isAtomic, keyPath: { keyPath }, in: record)
        }
        // `true` if the key path names an observed property. `false` if an override in a subclass has read other properties, too.
        let isGetter = recorder.property?.isGetter ?? false
        if let property, isGetter, !property.isDependent {
            list = property
            list.noteGetterReadsStorage()
            tracked = nil
            evaluation = nil
            return
        }
        // A subclass seems to override the property. Observers must get what the override returns.
        if !isGetter { property?.noteOverride() }
        guard let path = recorder.tracked else {
            let path = TrackedPath.path(of: object, keyPath, steps, at: home, in: record)
            path.recognise([])
            list = path.list
            if property != nil { list.noteOverriding() }
            tracked = path
            evaluation = Self.activate(path, object, keyPath, record, keepsOld: keepsOld)
            return
        }
        list = path.list
        tracked = path
        guard let links = recorder.recorder else {
            // Another thread is evaluating the key path for the first time, and will do so once more.
            evaluation = nil
            return
        }
        recorder.noteResult(value)
        links.adoptResult(of: recorder)
        let newest = path.finish(links, of: object, chain: recorder.chain) ? value : TypedPath<Root, Value>.readAgain(path, object)
        if keepsOld { path.keep(OldValue.last(newest)) }
        evaluation = (newest, path.evaluations)
        path.passTurn(object)
    }

    private static func activate(
        _ path: TrackedPath, _ object: Root, _ keyPath: KeyPath<Root, Value>, _ record: ObservationRecord, keepsOld: Bool
    ) -> (value: Value, number: UInt64)? {
        let mustEvaluate = path.activate(record) || keepsOld && path.last == nil
        guard mustEvaluate, let recorder = path.takeTurn() else { return nil }
        defer { path.passTurn(object) }
        if isOfSameClass(path, keyPath) {
            let value = TypedPath<Root, Value>.evaluate(path, object, recorder)
            if keepsOld { path.keep(OldValue.last(value)) }
            return (value, path.evaluations)
        }
        path.steps.evaluate(path, object, recorder)
        return nil
    }

    /// Returns `true` if `TypedPath<Root, Value>` can evaluate `path`.
    ///
    /// `path` may start at another class, because all key paths to an overridden property share one tracked path.
    private static func isOfSameClass(_ path: TrackedPath, _ keyPath: KeyPath<Root, Value>) -> Bool {
        type(of: path.keyPath) == type(of: keyPath)
    }

    /// Returns the present value of the key path, and the serial number of the last change before the read.
    ///
    /// If another thread has the path's turn, it evaluates the key path once more. So whatever this read misses is delivered later.
    func current(of object: Root, _ keyPath: KeyPath<Root, Value>) -> (value: Value, number: UInt64) {
        let present = list.lastChange
        if let evaluation, let tracked, tracked.isPresent(evaluation.number) { return (evaluation.value, present) }
        tracked?.askForEvaluation()
        return (TypedPath<Root, Value>.look(object, keyPath), present)
    }

    func warnIfSilent(_ object: Root, _ keyPath: KeyPath<Root, Value>, at position: SourcePosition) {
        guard let tracked else { return }
        if tracked.hasDependencies { return }
        // A class that turns automatic notifications off is expected to send manual ones, so it gets no warning.
        guard Recording.suspended({ type(of: object).automaticallyNotifiesObservers(for: ObservedKeyPath(keyPath)) }) else { return }
        ObservationDiagnostics.warnOnce(.nothingObservable, at: position, Self.whyNothingIsHeard(keyPath, position))
    }

    private static func whyNothingIsHeard(_ keyPath: KeyPath<Root, Value>, _ position: SourcePosition) -> String {
        let (why, cure) =
            keyPath.isKnownToBeStored
            ? (
                "leads to a stored property without `@Observed`",
                "Declare it `@Observed`, or make it a computed property whose getter calls"
            )
            : ("reads no observed property", "Declare what it reads `@Observed`, or let its getter call")
        return """
            The observation of `\(keyPath)` at \(position) gets no automatic notifications, because the key path \(why). \(cure) \
            `access(_:)` with a key that you announce by `withChange(of:_:)`. Or name what it depends on in `keyPathsForValuesAffectingValue(for:)`.
            """
    }

    /// Ends this lookup; must be called when its result is no longer needed, for example after an observer was registered.
    ///
    /// Until then, the key path follows its dependencies even without observers.
    func finish() {
        tracked?.deactivate()
    }
}
