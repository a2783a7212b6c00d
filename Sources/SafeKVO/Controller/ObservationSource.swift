/// An object whose events can be observed with an ``ObservationController``.
///
/// Conform a class to the protocol if it has events that the library does not know. The class stores an ``EventRegistrar`` and passes each
/// event to it. The library does the rest: lifetimes, the order of delivery, and repeated registrations.
///
/// ```swift
/// final class Doorbell: ObservationSource {
///     let eventRegistrar = EventRegistrar<Int>()
///     func ring(times: Int) { eventRegistrar.notify(times) }
/// }
///
/// observations.observe(doorbell) { house, times in house.bark(times) }
/// ```
public protocol ObservationSource<Event>: AnyObject {
    /// The type of the events that observers get.
    associatedtype Event

    /// The type of a topic by which an observer selects some of the events, such as `MessageName` of SafeKVOEvents.
    ///
    /// Only sources of the library have topics. Leave the type out in your own sources.
    associatedtype Topic: ExpressibleByNilLiteral = NoTopic

    /// The type of a sender by which an observer selects some of the events, such as the object that a message is about.
    ///
    /// Only sources of the library have senders. Leave the type out in your own sources.
    associatedtype Sender: ExpressibleByNilLiteral = NoSender

    /// The registrar in which the source keeps its observers.
    ///
    /// Declare it as a stored property, `let eventRegistrar = EventRegistrar<Event>()`. If the property is computed or returns another
    /// object's registrar, the program stops with a message when the source is observed.
    var eventRegistrar: EventRegistrar<Event> { get }

    /// Called when an observation of this source was added, before `observe` returns.
    ///
    /// Start here whatever the source needs to notice its events. The call comes on the thread that registers the observation. If one
    /// thread adds an observation while another removes one, this function and ``observationDidEnd(_:)`` may be called in either order. So
    /// count the observations instead of setting a flag. The default implementation does nothing.
    func observationDidBegin(_ info: ObservationInfo)

    /// Called when an observation of this source has ended, unless the source itself is being deallocated.
    ///
    /// The call comes on the thread that ends the observation. If the handler belongs to an actor, the call comes on that actor, at the latest
    /// soon after the end. The default implementation does nothing.
    func observationDidEnd(_ info: ObservationInfo)

    /// Returns a description of the events that match a topic and a sender.
    func _target(of topic: Topic, from sender: Sender) -> _EventTarget
}

/// A source on which any thread may notify.
///
/// Signals and message centers of SafeKVOEvents conform. Conform to this protocol instead of ``ObservationSource`` if a source is `Sendable`.
/// Then a handler must be isolated to the actor on which it is registered, or capture only what is `Sendable`, and its observer must be
/// `Sendable`. A method of the observer must be registered on an actor.
public protocol SharedObservationSource<Event>: ObservationSource {}

/// The topic type of a source that has no topics.
///
/// Its only value is nil. Calls of `observe` need not pass it.
public struct NoTopic: ExpressibleByNilLiteral, Sendable {
    /// Creates the only value of the type, from `nil`.
    public init(nilLiteral: ()) {}
}

/// The sender type of a source that has no senders.
///
/// Its only value is nil. Calls of `observe` need not pass it.
public struct NoSender: ExpressibleByNilLiteral, Sendable {
    /// Creates the only value of the type, from `nil`.
    public init(nilLiteral: ()) {}
}

extension ObservationSource where Topic == NoTopic, Sender == NoSender {
    /// Selects all events of the source.
    @_alwaysEmitIntoClient
    public func _target(of topic: NoTopic, from sender: NoSender) -> _EventTarget { _EventTarget() }
}

extension ObservationSource {
    /// Does nothing.
    public func observationDidBegin(_ info: ObservationInfo) {}

    /// Does nothing.
    public func observationDidEnd(_ info: ObservationInfo) {}
}

/// An observed object that stores observer lists itself, instead of in its ``ObservationRecord``.
package protocol ListKeeper: AnyObject {
    var keptInfos: [ObservationInfo] { get }
}

@usableFromInline
package struct SourceEvent<Event> {
    // SAFETY: the source lives until the delivery ends, because the code that sends the event retains it, or the delivery does.
    @usableFromInline let source: Unretained<AnyObject>
    @usableFromInline let event: Event

    @_alwaysEmitIntoClient
    package init(source: Unretained<AnyObject>, event: Event) {
        self.source = source
        self.event = event
    }
}

/// The storage in which an ``ObservationSource`` keeps its observers.
///
/// Store the registrar in a constant of the source. A registrar takes one word, and allocates nothing until the
/// source is first observed. When the source is deallocated, its registrar ends all observations of the source.
public struct EventRegistrar<Event>: ~Copyable, Sendable {
    @usableFromInline package let observers: ObserverRegistrar

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
    @_alwaysEmitIntoClient
    public func notify(_ event: Event) {
        guard !observers.isIdle, let list = observers.sourceList, var delivery = Delivery(to: list, hearsLate: false) else { return }
        let event = SourceEvent(source: delivery.subject, event: event)
        EventPointer.with(event) { delivery.deliver($0, onlyPrior: false, box: $1) }
        delivery.finish()
    }

    package var existingList: ObserverList? { observers.record?.entireList }

    /// Returns the record of all observations of the source, or `nil` if the source was never observed.
    ///
    /// The program stops with a message if the registrar belongs to another object.
    func record(ownedBy source: AnyObject) -> ObservationRecord? { observers.withRecord(ownedBy: source, .source) { $0 } }

    func record(of source: AnyObject) -> ObservationRecord { observers.record(of: source, .source) }

    @usableFromInline
    package func list<Source: ObservationSource<Event>>(of source: Source) -> ObserverList {
        let record = record(of: source)
        return record.entireList { ObserverList(record: record, events: Event.self) { _ in SourceHook<Source>() } }
    }
}

extension ObserverRegistrar {
    @usableFromInline
    package var sourceList: Unretained<ObserverList>? { withRecord { $0.entireListReference } ?? nil }
}

/// Notifies an event source when one of the source's observations begins or ends.
final class SourceHook<Source: ObservationSource>: ObserverListHook {
    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        source(of: list, info)?.observationDidBegin(info)
    }

    func willLetGo(_ info: ObservationInfo, of list: ObserverList) { source(of: list, info)?.observationDidEnd(info) }

    private func source(of list: ObserverList, _ info: ObservationInfo) -> Source? {
        // SAFETY: this hook belongs to the list of the observers of one object, which is of class `Source`.
        list.record.subject(of: info).map { unsafe unsafeDowncast($0, to: Source.self) }
    }
}
