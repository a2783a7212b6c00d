/// What there is to know about one observation, at the moment of asking.
public struct ObservationSnapshot: Sendable {
    /// Which object is observed.
    ///
    /// It is not kept alive by this, and may be gone.
    public let subject: ObjectIdentifier
    /// The class of the observed object.
    public let subjectType: String
    /// The name of what is observed: of a property if it is one, else as much as a key path tells of itself.
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
    public let deliveries: UInt64
    /// Where the observation was added.
    public let position: SourcePosition

    init(_ info: ObservationInfo) {
        let list = info.list.object
        let record = list.record
        subject = record.subjectIdentity
        subjectType = "\(record.subjectType)"
        name = list.name(in: info.livingSubject)
        options = info.flags.options
        handler = info.flags.handlerKind
        tag = info.tag
        retainsSubject = info.flags.contains(.retainsSubject)
        deliveries = info.deliveries
        position = info.position
    }
}

extension ObservationSnapshot: CustomStringConvertible {
    /// The observation in one line.
    public var description: String {
        var parts = ["\(subjectType).\(name)", "options \(options)", "\(handler)"]
        if let tag { parts.append("tag \(tag)") }
        parts.append(retainsSubject ? "retaining" : "not retaining")
        parts.append("\(deliveries) calls")
        return parts.joined(separator: ", ") + " (\(position))"
    }
}
