/// A description of one observation at one moment.
///
/// The snapshot is a copy of plain values. It retains no object and does not change later.
public struct ObservationSnapshot: Sendable {
    package let facts: ObservationFacts

    package init(_ info: ObservationInfo, deliveries: UInt64? = nil) {
        facts = ObservationFacts(info, deliveries: deliveries ?? info.deliveries)
    }

    /// The identity of the observer.
    ///
    /// The identity is `nil` if the observer is the library itself, which follows the objects along a key path. The identity does not
    /// retain the observer. After the observer is deallocated, another object may get the same identity.
    public var observer: ObjectIdentifier? { facts.observer }

    /// The class of the observer.
    public var observerType: String { facts.observerType }

    /// The identity of the observed object.
    ///
    /// The identity does not retain the object. After the object is deallocated, another one may get the same identity.
    public var subject: ObjectIdentifier { facts.subject }

    /// The class of the observed object.
    public var subjectType: String { facts.subjectType }

    /// The name of the observed property, or a description of the key path or of the events.
    ///
    /// The name of a stored property comes from the runtime, which does not know source lines. To find the declaration, search
    /// for `name` in `subjectType`. A key path through observed properties has their names, as in `current.title`. A part that has no
    /// name, such as a computed property, is described by what it reads, as in `<reads title>`, or by its type.
    public var name: String { facts.name }

    /// The options of the registration.
    public var options: KeyValueObservingOptions { facts.options }

    /// The tag of the observation, if it has one.
    public var tag: ObservationTag? { facts.tag }

    /// `true` if the observation retains the observed object.
    public var retainsSubject: Bool { facts.retainsSubject }

    /// The number of calls of the handler.
    ///
    /// Skipped calls are not included. A call is skipped if the value is a duplicate, if a newer value was delivered before, or if
    /// the change was made in the wrong isolation. After 34 billion calls the count begins again.
    public var deliveries: UInt64 { facts.deliveries }

    /// The source position of the registration.
    public var position: SourcePosition { facts.position }
}

/// What a snapshot says.
///
/// It is an object, so that a snapshot is one reference.
package final class ObservationFacts: Sendable {
    let observer: ObjectIdentifier?
    let observerType: String
    let subject: ObjectIdentifier
    let subjectType: String
    let name: String
    let options: KeyValueObservingOptions
    let tag: ObservationTag?
    let retainsSubject: Bool
    let deliveries: UInt64
    let position: SourcePosition
    fileprivate let order: UInt64

    // What only SafeKVODiagnostics shows. The snapshot's `description` has it in words.

    package let handlerKind: HandlerKind
    package let unmatchedChange: SourcePosition?
    package let follows: [String]
    package let unreportedHops: [String]
    /// `true` if the library itself is the observer, because another key path of the same object depends on the property.
    package let isOfSameSubject: Bool

    fileprivate init(_ info: ObservationInfo, deliveries: UInt64) {
        let list = info.withList { $0 }
        let record = list.record
        observer = info.withOwner { $0.observerIdentity }
        observerType = info.withOwner { "\($0.observerType)" } ?? "SafeKVO"
        subject = record.subjectIdentity
        subjectType = "\(record.subjectType)"
        name = list.name
        options = info.flags.options
        tag = info.tag
        retainsSubject = info.flags.contains(.retainsSubject)
        self.deliveries = deliveries
        position = info.position
        order = record.lock.withLock { info.order }
        handlerKind = info.flags.handlerKind
        unmatchedChange = record.unmatchedAnnouncement(of: list)
        let path = info.isDependency ? nil : list.path
        follows = path?.followedNames ?? []
        var unreported: [String] = []
        for case let name? in path?.keyPath.storedNames ?? [] where name != "self" { unreported.append(String(name)) }
        unreportedHops = unreported
        isOfSameSubject = info.flags.contains(.ofSameSubject)
    }

    fileprivate var text: String {
        var text = "\(observerType) observes \(subjectType).\(name)"
        func add(_ part: String) {
            text += ", "
            text += part
        }
        if !options.isEmpty { add("options \(options)") }
        add("\(handlerKind)")
        if let tag { add("tag \(tag)") }
        add(retainsSubject ? "retaining" : "not retaining")
        add("\(deliveries) calls")
        if !follows.isEmpty { add("follows " + follows.joined(separator: " and ")) }
        if !unreportedHops.isEmpty {
            add(unreportedHops.joined(separator: " and ") + (unreportedHops.count == 1 ? " reports nothing" : " report nothing"))
        }
        if let unmatchedChange { add("change announced at \(unmatchedChange) is not ended") }
        return position == .unknown ? text : text + " (\(position))"
    }
}

extension ObservationSnapshot: CustomStringConvertible {
    /// A line of text that describes the observation.
    public var description: String { facts.text }
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
        var infos = (object as? any ListKeeper)?.keptInfos ?? []
        let records = PulledRecords.shared.existingRecords(of: object)
        for (index, record) in records.enumerated() where !records[..<index].contains(where: { $0 === record }) { infos += record.infos }
        var snapshots: [ObservationSnapshot] = []
        for info in infos where !info.isOver && (includingDependencies || !info.isDependency) {
            snapshots.append(ObservationSnapshot(info))
        }
        return sorted(snapshots) { $0.facts.order < $1.facts.order }
    }
}

extension ObservationFacts {
    /// Compares the source lines that registered two observations.
    fileprivate func isBefore(_ other: ObservationFacts) -> Bool {
        let (file, otherFile) = (position.fileID, other.position.fileID)
        if file != otherFile { return file < otherFile }
        if position.line != other.position.line { return position.line < other.position.line }
        return name < other.name
    }
}

extension KeyValueObservable {
    /// The numbers of the program's and of the library's own observations of this object, for tests.
    package var observationRecords: (observers: Int, dependencies: Int) {
        let infos = keyValueRegistrar.observers.record?.infos ?? []
        let dependencies = infos.count { $0.isDependency }
        return (infos.count - dependencies, dependencies)
    }
}

extension ObservationInfo: CustomDebugStringConvertible {
    /// A line of text with the observer, the observed object and the options.
    public var debugDescription: String {
        "ObservationInfo: \(isOver ? "ended" : ObservationSnapshot(self).description)"
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
            "\(core.observerType)", core.isObserverGone, retainsObserved: core.retainsObserved, core.counters, keeping: core.holdCount,
            core.snapshots)
    }
}

extension ControllerCore {
    /// The text that describes a controller in diagnostics.
    package static func text(
        _ observer: String, _ isObserverGone: Bool, retainsObserved: Bool, _ counters: ObservationCounters, keeping holds: Int,
        _ observations: [ObservationSnapshot]
    ) -> String {
        var text = "ObservationController of " + observer + (isObserverGone ? ", which is deallocated" : "")
        text += retainsObserved ? ", retaining: " : ", not retaining: "
        text += counters.description
        if holds > 0 { text += ", keeps the handlers of \(holds) ended observations until its next call" }
        for observation in observations { text += "\n  " + observation.description }
        return text
    }

    package var snapshots: [ObservationSnapshot] {
        @inline(never) get { sorted(infos().filter { !$0.isOver }.map { ObservationSnapshot($0) }) { $0.facts.isBefore($1.facts) } }
    }
}

/// Returns sorted snapshots, by code that all types share: a copy of the standard library's sort for one type has 5 kB.
@_semantics("optimize.sil.specialize.generic.never")
@inline(never)
private func sorted<Element>(_ elements: [Element], by areInOrder: (Element, Element) -> Bool) -> [Element] {
    elements.sorted(by: areInOrder)
}
