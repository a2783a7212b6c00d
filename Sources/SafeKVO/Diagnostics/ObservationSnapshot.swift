internal import Synchronization

/// A description of one observation at one moment.
///
/// The snapshot is a copy of plain values. It retains no object and does not change later.
public struct ObservationSnapshot: Sendable {
    /// The identity of the observer.
    ///
    /// The identity is `nil` if the observer is the library itself, which follows the objects along a key path. The identity does not
    /// retain the observer. After the observer is deallocated, another object may get the same identity.
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
    /// for `name` in `subjectType`. A key path through observed properties has their names, as in `current.title`. A part that has no
    /// name, such as a computed property, is described by what it reads, as in `<reads title>`, or by its type.
    public let name: String
    /// The options of the registration.
    public let options: KeyValueObservingOptions
    /// The tag of the observation, if it has one.
    public let tag: ObservationTag?
    /// `true` if the observation retains the observed object.
    public let retainsSubject: Bool
    /// The number of calls of the handler.
    ///
    /// Skipped calls are not included. A call is skipped if the value is a duplicate, if a newer value was delivered before, or if
    /// the change was made in the wrong isolation.
    public let deliveries: UInt64
    /// The source position of the registration.
    public let position: SourcePosition
    // What only SafeKVODiagnostics shows. `description` has it in words.

    package let handlerKind: HandlerKind
    package let unmatchedAnnouncement: SourcePosition?
    package let followedNames: [String]
    package let namesOfUnreportedHops: [String]
    /// `true` if the library itself is the observer, because another key path of the same object depends on the property.
    package let isOfSameSubject: Bool

    init?(_ info: ObservationInfo) {
        let deliveries = info.deliveries
        guard let snapshot = info.ifKept({ Self(info, deliveries: deliveries) }) else { return nil }
        self = snapshot
    }

    /// The caller makes sure that `info` has not yet released its observer list and its controller.
    package init(_ info: ObservationInfo, deliveries: UInt64) {
        let list = info.withList { $0 }
        let record = list.record
        observer = info.withOwner { $0.observerIdentity }
        observerType = info.withOwner { "\($0.observerType)" } ?? "SafeKVO"
        subject = record.subjectIdentity
        subjectType = "\(record.subjectType)"
        name = list.name
        options = info.flags.options
        handlerKind = info.flags.handlerKind
        tag = info.tag
        retainsSubject = info.flags.contains(.retainsSubject)
        self.deliveries = deliveries
        position = info.position
        unmatchedAnnouncement = record.unmatchedAnnouncement(of: list)
        let path = info.isDependency ? nil : list.path
        followedNames = path?.followedNames ?? []
        namesOfUnreportedHops = path?.keyPath.storedNames.compactMap { $0.map(String.init) }.filter { $0 != "self" } ?? []
        isOfSameSubject = info.flags.contains(.ofSameSubject)
    }
}

extension ObservationSnapshot: CustomStringConvertible {
    /// A line of text that describes the observation.
    public var description: String {
        (["\(observerType) observes \(subjectType).\(name)"] + details).joined(separator: ", ") + (isPositionKnown ? " (\(position))" : "")
    }

    var details: [String] {
        var parts = options.isEmpty ? [] : ["options \(options)"]
        parts.append("\(handlerKind)")
        if let tag { parts.append("tag \(tag)") }
        parts.append(retainsSubject ? "retaining" : "not retaining")
        parts.append("\(deliveries) calls")
        if !followedNames.isEmpty { parts.append("follows \(followedNames.joined(separator: " and "))") }
        if !namesOfUnreportedHops.isEmpty {
            parts.append(
                "\(namesOfUnreportedHops.joined(separator: " and ")) \(namesOfUnreportedHops.count == 1 ? "reports" : "report") nothing")
        }
        if let unmatchedAnnouncement { parts.append("change announced at \(unmatchedAnnouncement) is not ended") }
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
    /// For a message center, the result contains the observations of all its messages. An observation of messages about one object belongs
    /// to the center, not to that object. During an object's `deinit`, the result is empty.
    ///
    /// - Parameters:
    ///   - object: The observed object.
    ///   - includingDependencies: `true` to include the library's own observations, which follow the objects along key paths.
    /// - Returns: The observations. The observations of one property are in the order in which their handlers are called.
    /// - Complexity: O(*n* log *n*) for *n* observations of the object.
    public static func observations(of object: AnyObject, includingDependencies: Bool = false) -> [ObservationSnapshot] {
        // SAFETY: The caller retains the object.
        if isBeingDestroyed(object) { return [] }
        var known: Set<ObjectIdentifier> = []
        return infos(of: object)
            .filter { known.insert(ObjectIdentifier($0)).inserted && !$0.isOver && (includingDependencies || !$0.isDependency) }
            .sorted { $0.isBefore($1) }
            .compactMap { ObservationSnapshot($0) }
    }

    /// The result is in any order, and may contain repetitions.
    private static func infos(of object: AnyObject) -> [ObservationInfo] {
        let kept = (object as? any ListKeeper)?.keptInfos ?? []
        return PulledRecords.shared.existingRecords(of: object).flatMap(\.infos) + kept
    }
}

extension KeyValueObservable {
    /// The numbers of the program's and of the library's own observations of this object, for tests.
    package var observationRecords: (observers: Int, dependencies: Int) {
        var counts = (observers: 0, dependencies: 0)
        keyValueRegistrar.withRecord(ownedBy: self) {
            $0.forEachList { list in
                for info in list.infos() {
                    if info.isDependency { counts.dependencies += 1 } else { counts.observers += 1 }
                }
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

extension ObservationControllerBase {
    /// The present observations of this controller, sorted by the source lines that registered them.
    ///
    /// Use it in a debugger, a log or a test. It is a copy with the identities and classes of the observed objects, and it
    /// retains none of them. To get the observations of one object by all controllers, use
    /// ``ObservationDiagnostics/observations(of:includingDependencies:)``.
    ///
    /// - Complexity: O(*n* log *n*) for *n* observations.
    public final var observations: [ObservationSnapshot] { core.snapshots }
}

extension ObservationControllerBase: CustomDebugStringConvertible {
    /// A text with the observer and the counters, and one line for each observation.
    public final var debugDescription: String {
        ControllerCore.text(
            "\(core.observerType)", core.isObserverGone, retainsObserved: core.retainsObserved, core.counters, core.snapshots)
    }
}

extension ControllerCore {
    /// The text that describes a controller in diagnostics.
    package static func text(
        _ observer: String, _ isObserverGone: Bool, retainsObserved: Bool, _ counters: ObservationCounters,
        _ observations: [ObservationSnapshot]
    ) -> String {
        let who = observer + (isObserverGone ? ", which is deallocated" : "")
        let head = "ObservationController of \(who), \(retainsObserved ? "retaining" : "not retaining"): \(counters)"
        return ([head] + observations.map { "  \($0)" }).joined(separator: "\n")
    }

    package var snapshots: [ObservationSnapshot] {
        infos().compactMap { ObservationSnapshot($0) }
            .sorted { ($0.position.fileID, $0.position.line, $0.name) < ($1.position.fileID, $1.position.line, $1.name) }
    }
}
