/// The storage in which an ``ObservationSource`` keeps its observers.
///
/// Store the registrar in a constant of the source. A registrar takes one word, and allocates nothing until the
/// source is first observed. When the source is deallocated, its registrar ends all observations of the source.
public struct EventRegistrar<Event>: ~Copyable, Sendable {
    @usableFromInline let observers: ObserverRegistrar

    /// Makes a registrar without observers.
    public init() {
        observers = ObserverRegistrar()
    }

    /// Delivers an event to all observers of the source.
    ///
    /// The observers are called on this thread, in the order of registration, before this function returns. A handler
    /// that was registered with `on:` for another isolation is called there, later. No lock is held during the calls.
    ///
    /// An observer that is added during the delivery does not get the event. An observer that is removed before its
    /// turn is not called. In the source's `deinit`, the function does nothing.
    ///
    /// - Parameter event: The event to deliver.
    /// - Complexity: O(*n*) for *n* observers.
    @inlinable
    public func notify(_ event: Event) {
        guard !observers.isIdle, let list = observers.sourceList, var delivery = Delivery(to: list) else { return }
        var event = SourceEvent(source: delivery.subject, event: event)
        unsafe withUnsafePointer(to: &event) { pointer in
            // SAFETY: `deliver` does not keep `pointer`. The closure copies the event if a delivery needs it later.
            delivery.deliver(unsafe EventPointer(UnsafeRawPointer(pointer)), onlyPrior: false) {
                TypedEventBox<SourceEvent<Event>>(copying: $0)
            }
        }
        delivery.finish()
    }

    var existingList: ObserverList? { unsafe observers.sourceList?.object }

    /// Returns the record, which holds all observations of the source, or `nil` if the source was never observed.
    ///
    /// The program stops with a message if the registrar belongs to another object.
    func record(ownedBy source: AnyObject) -> Unretained<ObservationRecord>? { observers.record(ownedBy: source, .source) }

    func record(of source: AnyObject) -> ObservationRecord { observers.record(of: source, .source) }

    @usableFromInline
    func list<Source: ObservationSource<Event>>(of source: Source) -> ObserverList {
        let record = record(of: source)
        return record.list(
            where: { _ in true },
            orMake: { ObserverList(record: record, events: Event.self) { _ in SourceHook<Source>() } })
    }
}

extension ObserverRegistrar {
    // SAFETY: this registrar retains `record`, which holds the source's observations.
    @usableFromInline
    var sourceList: Unretained<ObserverList>? { unsafe record?.with { $0.onlyList } }
}

/// An object that notifies an event source when one of the source's observations begins or ends.
final class SourceHook<Source: ObservationSource>: ObserverListHook {
    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        source(of: list, info)?.observationDidBegin(info)
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        source(of: list, info)?.observationDidEnd(info)
    }

    private func source(of list: ObserverList, _ info: ObservationInfo) -> Source? {
        // SAFETY: this hook belongs to the list of the observers of one object, which is of class `Source`.
        list.record.subject(of: info).map { unsafe unsafeDowncast($0, to: Source.self) }
    }
}
