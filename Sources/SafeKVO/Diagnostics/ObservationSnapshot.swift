/// What there is to know about one observation, at the moment of asking.
///
/// It is a copy of plain values: it keeps nothing alive, and nothing in it changes.
public struct ObservationSnapshot: Sendable {
    /// Who observes; nil if it is the library itself, which follows what somebody's key path goes through.
    ///
    /// It is not kept alive by this, and may be gone.
    public let observer: ObjectIdentifier?
    /// The class of the observer.
    public let observerType: String
    /// Which object is observed.
    ///
    /// It is not kept alive by this, and may be gone.
    public let subject: ObjectIdentifier
    /// The class of the observed object.
    public let subjectType: String
    /// The name of what is observed: of a property if it is one, else as much as a key path or a source tells of itself.
    ///
    /// A running program knows the names of stored properties, but not where they are declared: look for `name` in `subjectType`. A runtime
    /// that does not know names either, and a computed property, show as a key path shows itself.
    public let name: String
    /// What the observer asked to be told.
    public let options: KeyValueObservingOptions
    /// How the observer is called.
    public let handler: ObservationHandlerKind
    /// The tag that the observation was added under, if any.
    public let tag: ObservationTag?
    /// Whether the observation keeps the object alive.
    public let retainsSubject: Bool
    /// How often the observer was called.
    ///
    /// What was left out because the value is the same, and what came too late or in the wrong isolation, is not counted.
    public let deliveries: UInt64
    /// Where the observation was added.
    public let position: SourcePosition
    /// The position of a `willChangeValue(for:)` of the key that no `didChangeValue(for:)` has ended yet; nil if there is none.
    ///
    /// Until it is ended, the observer gets no changes that the same thread makes.
    public let unmatchedChange: SourcePosition?

    /// Makes a snapshot of an observation; nil if that has ended.
    init?(_ info: ObservationInfo) {
        let subject = info.livingSubject
        let deliveries = info.deliveries
        guard let snapshot = info.ifKept({ Self(info, of: subject, deliveries: deliveries) }) else { return nil }
        self = snapshot
    }

    /// Makes a snapshot of an observation that may be ending, for its caller, who knows that it has not released what it keeps.
    init(_ info: ObservationInfo, of livingSubject: AnyObject?, deliveries: UInt64) {
        // SAFETY: whoever makes a snapshot has entered the info, or is the one that ends it.
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
    /// The observation in one line.
    public var description: String {
        (["\(observerType) observes \(subjectType).\(name)"] + details).joined(separator: ", ") + (isPositionKnown ? " (\(position))" : "")
    }

    /// Everything but who, whom and where.
    var details: [String] {
        var parts = options.isEmpty ? [] : ["options \(options)"]
        parts.append("\(handler)")
        if let tag { parts.append("tag \(tag)") }
        parts.append(retainsSubject ? "retaining" : "not retaining")
        parts.append("\(deliveries) calls")
        if let unmatchedChange { parts.append("change announced at \(unmatchedChange) is not ended") }
        return parts
    }

    /// What the library does for itself has no place in the program's source.
    private var isPositionKnown: Bool { position != .unknown }
}

extension ObservationDiagnostics {
    /// Who observes an object: its properties and what is computed of them, itself if it is a signal, a message centre or another source,
    /// and what is polled or followed of it; also what ``ObservationController`` observes of a foreign `NSObject`.
    ///
    /// Of a message centre that is everybody who observes its messages. Who asked for messages *of an object* observes the centre, not the
    /// object. An object in its `deinit` is observed by nobody any more.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - includingDependencies: Whether the library itself is listed where it follows the object because somebody's key path goes through
    ///     it.
    /// - Returns: the observations, those of one property in the order in which they are called.
    /// - Complexity: O(*n* log *n*) for *n* observations of the object.
    public static func observations(of object: AnyObject, includingDependencies: Bool = false) -> [ObservationSnapshot] {
        // SAFETY: the caller holds the object; below, registrars keep their records.
        if unsafe Unretained(object).isBeingDestroyed { return [] }
        var known: Set<ObjectIdentifier> = []
        return infos(of: object)
            .filter { known.insert(ObjectIdentifier($0)).inserted && !$0.isOver && (includingDependencies || !$0.isDependency) }
            .sorted { $0.isBefore($1) }
            .compactMap { ObservationSnapshot($0) }
    }

    /// All infos that hang anywhere on behalf of an object; some may come twice.
    private static func infos(of object: AnyObject) -> [ObservationInfo] {
        var records: [ObservationRecord?] = [PulledRecords.shared.existingRecordInTable(of: object)]
        var kept: [ObservationInfo] = []
        if let object = object as? any KeyValueObservable { records.append(record(of: object)) }
        if let source = object as? any ObservationSource {
            records.append(record(ofSource: source))
            kept += (source as? any ListKeeper)?.keptInfos ?? []
        }
        for subject in StandInFinders.shared.all(for: object) {
            records.append(subject.record)
            kept += subject.keptInfos
        }
        return records.compactMap { $0 }.flatMap(\.infos) + kept
    }

    private static func record<Object: KeyValueObservable>(of object: Object) -> ObservationRecord? {
        unsafe object.keyValueRegistrar.record(ownedBy: object)?.object
    }

    private static func record<Source: ObservationSource>(ofSource source: Source) -> ObservationRecord? {
        unsafe source.eventRegistrar.record(ownedBy: source)?.object
    }
}

extension KeyValueObservable {
    /// How many observations hang on the object: those that somebody asked for, and those with which the library follows dependencies.
    ///
    /// For the tests of this package, which want none left.
    package var observationRecords: (observers: Int, dependencies: Int) {
        var counts = (observers: 0, dependencies: 0)
        // SAFETY: the registrar keeps the record, and the record its lists.
        unsafe keyValueRegistrar.record(ownedBy: self)?.object.forEachList { list in
            for info in unsafe list.object.infos() {
                if info.isDependency { counts.dependencies += 1 } else { counts.observers += 1 }
            }
        }
        return counts
    }
}

extension ObservationInfo: CustomDebugStringConvertible {
    /// The observer, and what is observed and how.
    public var debugDescription: String {
        "ObservationInfo: \(ObservationSnapshot(self)?.description ?? "ended")"
    }
}

extension ObservationBroker: CustomDebugStringConvertible {
    /// The counters of all controllers that have ended.
    public var debugDescription: String {
        "ObservationBroker, totals of all controllers that have ended: \(counters)"
    }
}
