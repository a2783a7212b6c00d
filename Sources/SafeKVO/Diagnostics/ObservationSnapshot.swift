/// A description of one observation at one moment.
///
/// The snapshot is a copy of plain values. It retains no object and does not change later.
public struct ObservationSnapshot: Sendable {
    /// The identity of the observer.
    ///
    /// The identity is `nil` if the library itself is the observer, because it follows the objects along a key path. The identity
    /// does not retain the observer. After the observer is deallocated, another object may get the same identity.
    public let observer: ObjectIdentifier?
    /// The class of the observer.
    public let observerType: String
    /// The identity of the observed object.
    ///
    /// The identity does not retain the object. After the object is deallocated, another one may get the same identity.
    public let subject: ObjectIdentifier
    /// The class of the observed object.
    public let subjectType: String
    /// The name of the observed property, or a description of the key path or of the events.
    ///
    /// The name of a stored property comes from the runtime, which does not know source lines. To find the declaration, search
    /// for `name` in `subjectType`. For a computed property, or if the runtime has no names, this is the description of the key
    /// path.
    public let name: String
    /// The options of the registration.
    public let options: KeyValueObservingOptions
    /// The kind of the handler, for example a closure or a method of the observer.
    public let handler: ObservationHandlerKind
    /// The tag of the observation, if it has one.
    public let tag: ObservationTag?
    /// `true` if the observation retains the observed object.
    public let retainsSubject: Bool
    /// The number of calls of the handler.
    ///
    /// Skipped calls are not counted. A call is skipped if the value is a duplicate, if a newer value was delivered before, or if
    /// the change was made in the wrong isolation.
    public let deliveries: UInt64
    /// The source position of the registration.
    public let position: SourcePosition
    /// The source position of a `willChangeValue(for:)` that still lacks its `didChangeValue(for:)`; `nil` if there is none.
    ///
    /// Until that call, the observer gets no further changes of this key from the same thread.
    public let unmatchedChange: SourcePosition?

    init?(_ info: ObservationInfo) {
        let deliveries = info.deliveries
        guard let snapshot = info.ifKept({ Self(info, deliveries: deliveries) }) else { return nil }
        self = snapshot
    }

    /// Makes a snapshot of an observation, even if it is ending.
    ///
    /// The caller must make sure that `info` has not yet released its observer list and its owner, the controller's data.
    init(_ info: ObservationInfo, deliveries: UInt64) {
        // SAFETY: `info` retains its list while it has users. The caller is counted as one, or is ending `info` and has not released the
        // list yet.
        let list = unsafe info.list.object
        let record = list.record
        observer = info.withOwner { $0.observerIdentity }
        observerType = info.withOwner { "\($0.observerType)" } ?? "SafeKVO"
        subject = record.subjectIdentity
        subjectType = "\(record.subjectType)"
        name = list.name
        options = info.flags.options
        handler = info.flags.handlerKind
        tag = info.tag
        retainsSubject = info.flags.contains(.retainsSubject)
        self.deliveries = deliveries
        position = info.position
        unmatchedChange = record.unmatchedAnnouncement(of: list)
    }
}

extension ObservationSnapshot: CustomStringConvertible {
    /// A line of text that describes the observation.
    public var description: String {
        (["\(observerType) observes \(subjectType).\(name)"] + details).joined(separator: ", ") + (isPositionKnown ? " (\(position))" : "")
    }

    var details: [String] {
        var parts = options.isEmpty ? [] : ["options \(options)"]
        parts.append("\(handler)")
        if let tag { parts.append("tag \(tag)") }
        parts.append(retainsSubject ? "retaining" : "not retaining")
        parts.append("\(deliveries) calls")
        if let unmatchedChange { parts.append("change announced at \(unmatchedChange) is not ended") }
        return parts
    }

    private var isPositionKnown: Bool { position != .unknown }
}

extension ObservationDiagnostics {
    /// Returns all observations of an object.
    ///
    /// The result contains observations of the object's properties and events, and observations that poll its values. If the object is an
    /// `NSObject` that Cocoa's key-value observing serves, the result contains only the observations of this library's controllers.
    ///
    /// For a message center, the result contains the observations of all its messages. If an observer wants messages about one
    /// object, it observes the center, not that object. During an object's `deinit`, the result is empty.
    ///
    /// - Parameters:
    ///   - object: The observed object.
    ///   - includingDependencies: `true` to include the library's own observations, which follow the objects along key paths.
    /// - Returns: The observations. The observations of one property are in the order in which their handlers are called.
    /// - Complexity: O(*n* log *n*) for *n* observations of the object.
    public static func observations(of object: AnyObject, includingDependencies: Bool = false) -> [ObservationSnapshot] {
        // SAFETY: The caller retains the object.
        if unsafe Unretained(object).isBeingDestroyed { return [] }
        var known: Set<ObjectIdentifier> = []
        return infos(of: object)
            .filter { known.insert(ObjectIdentifier($0)).inserted && !$0.isOver && (includingDependencies || !$0.isDependency) }
            .sorted { $0.isBefore($1) }
            .compactMap { ObservationSnapshot($0) }
    }

    /// Returns the registrations of an object in any order, possibly with repetitions.
    private static func infos(of object: AnyObject) -> [ObservationInfo] {
        let standIns = StandInFinders.shared.all(for: object)
        let records = PulledRecords.shared.existingRecords(of: object) + standIns.map(\.record)
        let kept = (object as? any ListKeeper)?.keptInfos ?? []
        return records.flatMap(\.infos) + kept + standIns.flatMap(\.keptInfos)
    }
}

extension KeyValueObservable {
    /// The numbers of an object's observations, for the tests of this package.
    ///
    /// `observers` counts the program's observations. `dependencies` counts the library's own ones, with which it follows key paths.
    package var observationRecords: (observers: Int, dependencies: Int) {
        var counts = (observers: 0, dependencies: 0)
        // SAFETY: `self` retains its registrar, which retains the record of the observations, which retains each `list`.
        unsafe keyValueRegistrar.record(ownedBy: self)?.object.forEachList { list in
            for info in unsafe list.object.infos() {
                if info.isDependency { counts.dependencies += 1 } else { counts.observers += 1 }
            }
        }
        return counts
    }
}

extension ObservationInfo: CustomDebugStringConvertible {
    /// A line of text with the observer, the observed object and the options.
    public var debugDescription: String {
        "ObservationInfo: \(ObservationSnapshot(self)?.description ?? "ended")"
    }
}

extension ObservationBroker: CustomDebugStringConvertible {
    /// A text with the sums of the counters of all deallocated controllers.
    public var debugDescription: String {
        "ObservationBroker, totals of all controllers that have ended: \(counters)"
    }
}
