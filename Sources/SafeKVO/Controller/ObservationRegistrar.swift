/// The one word in which an ``ObservationSource`` keeps its observers.
///
/// Make it a stored constant of the source. Nothing is allocated until somebody observes; it is destroyed with the source, which ends all
/// observations of it.
public struct ObservationRegistrar<Event>: ~Copyable, Sendable {
    let observers: ObserverRegistrar

    /// Makes a registrar.
    ///
    /// Nothing is allocated.
    public init() {
        observers = ObserverRegistrar()
    }

    /// Tells an event to the observers, in the order in which they registered, on this thread, before this returns.
    ///
    /// No lock is held meanwhile. Observers that are added meanwhile do not hear the event, those that are removed meanwhile are not called.
    /// From the source's `deinit` it tells nobody.
    ///
    /// - Parameters:
    ///   - event: What to tell.
    ///   - source: The source that the registrar belongs to.
    /// - Complexity: O(*n*) for *n* observers.
    public func notify<Source: ObservationSource<Event>>(_ event: Event, from source: Source) {
        guard let list = observers.record?.with({ $0.onlyList }), var delivery = Delivery(to: list) else { return }
        var event = SourceEvent(source: source, event: event)
        unsafe withUnsafePointer(to: &event) { pointer in
            // SAFETY: the pointer is used during the call only.
            delivery.deliver(unsafe EventPointer(UnsafeRawPointer(pointer)), onlyPrior: false) {
                TypedEventBox<SourceEvent<Event>>(copying: $0)
            }
        }
        delivery.finish()
    }

    /// The list of the source's observers: one, whatever class the source is seen as.
    func list<Source: ObservationSource<Event>>(of source: Source) -> ObserverList {
        let record = observers.record(of: source)
        return record.list(
            where: { _ in true },
            orMake: { ObserverList(record: record) { _ in SourceHook<Source>() } })
    }
}
