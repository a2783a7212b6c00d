/// From a key path of an object to the list of its observers.
struct KeyPathResolution<Root: KeyValueObservable, Value> {
    let list: ObserverList
    /// What follows the dependencies, if the key path is not exactly an observed property.
    let tracked: TrackedPath?
    /// What the key path gave when it was evaluated for this, if it was.
    private let evaluation: (value: Value, ticket: UInt64)?
    /// The number of the last change that the evaluation includes: that of no change, if the list was made for it.
    private var number: UInt64 = 1

    /// Finds the list for a key path, or makes it.
    ///
    /// A key path that was used with this object before is recognised. Otherwise it is evaluated once, and what its getters read tells what
    /// it is: an observed property of the object itself, whose stored values are then delivered, or anything else, which depends on what was
    /// read and is evaluated again when that changes.
    ///
    /// If there is a tracked path, it is active until ``finish()``.
    init(of object: Root, _ keyPath: KeyPath<Root, Value>, _ steps: PathSteps) {
        let record = object.keyValueRegistrar.record(of: object)
        let path = record.list(spelled: keyPath).map { (list: $0, tracked: $0.hook == nil ? nil : $0.hook as? TrackedPath) }
        if let path, path.tracked?.isExamined ?? true {
            list = path.list
            tracked = path.tracked
            number = list.lastChange
            evaluation = tracked.flatMap { Self.activate($0, object, keyPath) }
            return
        }
        let recorder = KeyPathRecorder(root: object, keyPath: keyPath, steps: steps)
        let value = recorder.record { object[keyPath: keyPath] }
        let property = recorder.property.map {
            PropertyAccess.makeList(of: object, $0.identity, isInherited: $0.isInherited, keyPath: { keyPath }, in: record)
        }
        // A property whose class says that it depends on others is told of theirs as well: it is followed like a computed value.
        let isGetter = recorder.property?.isGetter(of: value) ?? false
        if let property, isGetter, !property.isDependent {
            list = property
            list.noteGetterReadsStorage()
            if !list.isSpelled(keyPath) { list.addSpelling(keyPath) }
            tracked = nil
            evaluation = nil
            return
        }
        // The class of the object overrides the property: what it returns is a computed value.
        if !isGetter { property?.noteOverride() }
        if let path = recorder.tracked, let dependencies = recorder.recorder {
            list = path.list
            tracked = path
            let ticket = dependencies.start.ticket
            if let gap = recorder.gap { path.noteGap(gap) }
            if path.finish(dependencies, of: object, chain: recorder.chain(of: value)) {
                evaluation = (value, ticket)
            } else {
                evaluation = nil
                _ = TypedPathSteps<Root, Value>.evaluateThoroughly(path, object)
            }
        } else {
            let path = TrackedPath.path(of: object, keyPath, steps, in: record)
            path.noteNoChain()
            list = path.list
            if property != nil { list.noteOverriding() }
            tracked = path
            evaluation = Self.activate(path, object, keyPath)
        }
    }

    private static func activate(_ path: TrackedPath, _ object: Root, _ keyPath: KeyPath<Root, Value>) -> (value: Value, ticket: UInt64)? {
        guard path.activate(object) else { return nil }
        if isOfSameClass(path, keyPath) { return TypedPathSteps<Root, Value>.firstEvaluation(path, object) }
        path.steps.evaluate(path, object)
        return nil
    }

    /// `true` if a path was made for a key path of the same class.
    ///
    /// The object as a whole and overridden properties have one path, whatever class their key paths name.
    private static func isOfSameClass(_ path: TrackedPath, _ keyPath: KeyPath<Root, Value>) -> Bool {
        type(of: path.keyPath) == type(of: keyPath)
    }

    /// The present value, without evaluating again if nothing has changed since, and the number of the last change that it includes.
    func current(of object: Root, _ keyPath: KeyPath<Root, Value>) -> (value: Value, number: UInt64) {
        let present = list.lastChange
        if let evaluation, let tracked, present == number, tracked.isCurrent(evaluation.ticket) { return (evaluation.value, present) }
        if let tracked, Self.isOfSameClass(tracked, keyPath) { return (TypedPathSteps<Root, Value>.look(tracked, object), present) }
        return (Recording.suspended { object[keyPath: keyPath] }, present)
    }

    /// Reports, once for each place in the source, a key path whose changes nothing will tell of, or not all.
    func warnIfSilent(_ object: Root, _ keyPath: KeyPath<Root, Value>, at position: SourcePosition) {
        guard let tracked else { return }
        let gap = tracked.unexplainedRead
        if gap == nil, tracked.hasDependencies { return }
        // A class that announces it by hand knows.
        guard Recording.suspended({ type(of: object).automaticallyNotifiesObservers(for: ObservedKeyPath(keyPath)) }) else { return }
        if let gap {
            ObservationDiagnostics.warnOnce(.unseenHop, at: position, Self.whySomethingIsMissed(keyPath, gap, position))
        } else {
            ObservationDiagnostics.warnOnce(.nothingObservable, at: position, Self.whyNothingIsHeard(keyPath, position))
        }
    }

    private static func whySomethingIsMissed(_ keyPath: KeyPath<Root, Value>, _ gap: AnyKeyPath, _ position: SourcePosition) -> String {
        """
        The observation of `\(keyPath)` at \(position) may miss changes. It reads a `\(type(of: gap).rootType)` that no observed property returned, so \
        it does not notice when another object takes the place of that one. Declare the property that holds the object `@Observed`. Or call \
        `access(_:)` with its key path in its getter, and change it inside `withChange(of:_:)`.
        """
    }

    private static func whyNothingIsHeard(_ keyPath: KeyPath<Root, Value>, _ position: SourcePosition) -> String {
        let (why, cure) =
            keyPath.isKnownToBeStored
            ? ("leads to a stored property without `@Observed`", "Declare it `@Observed`")
            : ("reads no observed property", "Declare what it reads `@Observed`, or the property itself if it is stored")
        return """
            The observation of `\(keyPath)` at \(position) gets no automatic notifications, because the key path \(why). \(cure), or change it \
            inside `withChange(of:_:)` and return `false` for it from `automaticallyNotifiesObservers(for:)`.
            """
    }

    /// Ends the hold on the tracked path: its observers keep it active now.
    func finish() {
        tracked?.deactivate()
    }

    /// The list that a key path leads to, if there is one.
    static func existingList(of object: Root, _ keyPath: KeyPath<Root, Value>) -> ObserverList? {
        // Nothing is read: removing must be possible anywhere, also while the property is open for change in place.
        object.keyValueRegistrar.withRecord(ownedBy: object) { $0.list(spelled: keyPath) } ?? nil
    }
}
