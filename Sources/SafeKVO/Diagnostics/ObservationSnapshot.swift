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
        if let unmatchedChange { parts.append("change announced at \(unmatchedChange) not ended") }
        return parts
    }

    /// What the library does for itself has no place in the program's source.
    private var isPositionKnown: Bool { position != .unknown }
}
