/// A description of the events that an observer selects: all events of a source, or those of one topic.
public struct _EventTarget {
    /// The selected events; `nil` if the source has no topics.
    let selection: (any EventSelection)?
    @usableFromInline let isEverything: Bool

    package init(_ selection: any EventSelection, isEverything: Bool) {
        self.selection = selection
        self.isEverything = isEverything
    }

    @usableFromInline
    init() {
        selection = nil
        isEverything = true
    }
}

/// Events of a source that an observer selects by topic.
package protocol EventSelection {
    /// Registers an observation of these events of `source`, whose registrar is `observers`, and whose events have the type `events`.
    func observe(
        by core: ControllerCore, _ source: AnyObject, _ observers: borrowing ObserverRegistrar, events: Any.Type,
        _ registration: borrowing Registration, make: InfoParts.Maker
    ) -> ObservationResult

    /// The list of the observers of these events, or `nil` if there is none.
    var existingList: ObserverList? { get }

    /// Returns `true` if the list with this hook has the same topic, for whatever object.
    func hasSameTopic(_ hook: (any ObserverListHook)?) -> Bool
}

extension ControllerCore {
    @_alwaysEmitIntoClient
    func observe<Source: ObservationSource>(
        _ source: Source?, _ topic: Source.Topic, _ sender: Source.Sender, _ registration: borrowing Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        guard let source else { return registration.refused(.noObject) }
        if let refusal = registration.refusal(ofSource: source) { return registration.refused(refusal, of: source) }
        let target = source._target(of: topic, from: sender)
        if !target.isEverything {
            return observe(target, of: source, source.eventRegistrar.observers, events: Source.Event.self, registration, make: make)
        }
        // `list(of:)` creates the source's observer list if there is none. A source that is being deallocated must not get one, so check
        // first.
        if let refusal = refusal(of: source, registration) { return registration.refused(refusal, of: source) }
        return observe(source, source.eventRegistrar.list(of: source), registration, make: make)
    }

    @usableFromInline
    package func observe(
        _ target: _EventTarget, of source: AnyObject, _ observers: borrowing ObserverRegistrar, events: Any.Type,
        _ registration: borrowing Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        guard let selection = target.selection else { return registration.refused(.noObject) }
        return selection.observe(by: self, source, observers, events: events, registration, make: make)
    }

    @usableFromInline
    package func unobserve(_ target: _EventTarget, _ observers: borrowing ObserverRegistrar, tag: ObservationTag?) -> Int {
        guard !target.isEverything, let selection = target.selection else { return unobserve(list: observers.sourceList, tag: tag) }
        let list = selection.existingList
        return withExtendedLifetime(list) { unobserve(list: list.map { Unretained($0) }, tag: tag) }
    }
}

extension Registration {
    /// Returns the refusal of a source on which any thread may notify, or `nil` if the handler has an isolation or is `Sendable`.
    @usableFromInline
    package func refusal(ofSource source: AnyObject) -> ObservationResult.Refusal? {
        flags.isUnprotected && flags.handlerKind != .sequence && source is any SharedObservationSource ? .noIsolation : nil
    }
}

extension ObservationControllerBase {
    /// Removes all observations of a topic of a source, for every sender and under every tag.
    ///
    /// - Parameters:
    ///   - source: The observed source.
    ///   - topic: The topic. For a source with names, `nil` removes the observations that were registered without a name. Observations of a
    ///     single name stay.
    /// - Returns: The number of removed observations.
    /// - Complexity: O(*k*) for *k* observations of the source by this controller.
    @discardableResult
    public func unobserveAll<Source: ObservationSource>(_ source: Source?, for topic: Source.Topic) -> Int {
        let record = source.flatMap { $0.eventRegistrar.record(ownedBy: $0) }
        let selection = source.flatMap { $0._target(of: topic, from: nil).selection }
        return core.unobserve(records: record.map { [$0] } ?? []) { info in
            selection.map { selection in info.withList { selection.hasSameTopic($0.hook) } } ?? true
        }
    }
}
