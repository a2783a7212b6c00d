/// The one word in which an ``ObservationSource`` keeps its observers.
///
/// Make it a stored constant of the source. Nothing is allocated until somebody observes; it is destroyed with the source, which ends all
/// observations of it.
public struct EventRegistrar<Event>: ~Copyable, Sendable {
    @usableFromInline let observers: ObserverRegistrar

    /// Makes a registrar.
    ///
    /// Nothing is allocated.
    public init() {
        observers = ObserverRegistrar()
    }

    /// Delivers an event to the observers of the source that the registrar belongs to.
    ///
    /// The observers are called in the order in which they registered, on this thread, before this returns. No lock is held meanwhile.
    /// Observers that are added meanwhile do not get the event; observers that are removed meanwhile are not called. In the source's `deinit`
    /// nobody is called.
    ///
    /// - Parameter event: The event.
    /// - Complexity: O(*n*) for *n* observers.
    @inlinable
    public func notify(_ event: Event) {
        guard !observers.isIdle, let list = observers.sourceList, var delivery = Delivery(to: list) else { return }
        var event = SourceEvent(source: delivery.subject, event: event)
        unsafe withUnsafePointer(to: &event) { pointer in
            // SAFETY: the pointer is used during the call only.
            delivery.deliver(unsafe EventPointer(UnsafeRawPointer(pointer)), onlyPrior: false) {
                TypedEventBox<SourceEvent<Event>>(copying: $0)
            }
        }
        delivery.finish()
    }

    /// The list of the source's observers, if it was ever observed.
    var existingList: ObserverList? { unsafe observers.sourceList?.object }

    /// The record of the source that the registrar belongs to, if it has one.
    func record(ownedBy source: AnyObject) -> Unretained<ObservationRecord>? { observers.record(ownedBy: source, .source) }

    /// The record of the source that the registrar belongs to, made if there is none.
    func record(of source: AnyObject) -> ObservationRecord { observers.record(of: source, .source) }

    /// The list of the source's observers: one, whatever class the source is seen as.
    @usableFromInline
    func list<Source: ObservationSource<Event>>(of source: Source) -> ObserverList {
        let record = record(of: source)
        return record.list(
            where: { _ in true },
            orMake: { ObserverList(record: record, events: Event.self) { _ in SourceHook<Source>() } })
    }
}

extension ObserverRegistrar {
    /// The list of a source that has one, if the source was ever observed.
    // SAFETY: the registrar keeps the record.
    @usableFromInline
    var sourceList: Unretained<ObserverList>? { unsafe record?.with { $0.onlyList } }
}

/// Tells a source of the observations that come and go.
final class SourceHook<Source: ObservationSource>: ObserverListHook {
    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        source(of: list, info)?.observationDidBegin(info)
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        source(of: list, info)?.observationDidEnd(info)
    }

    private func source(of list: ObserverList, _ info: ObservationInfo) -> Source? {
        // SAFETY: the record's subject is the source that the list was made for.
        list.record.subject(of: info).map { unsafe unsafeDowncast($0, to: Source.self) }
    }
}
