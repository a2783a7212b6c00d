/// Something that can be observed through an ``ObservationController``: what happens in it reaches its observers as events.
///
/// Write one for whatever your program has that tells of events and the library does not know. A registrar is all it needs; lifetimes,
/// de-duplication, order and the rest come with it:
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
    /// What observers are told.
    associatedtype Event

    /// What some of its events are asked for by, such as a ``MessageName``.
    ///
    /// The sources of the library have topics; leave it out of your own.
    associatedtype Topic: ExpressibleByNilLiteral = NoTopic

    /// The object that some of its events are about.
    ///
    /// As ``Topic``.
    associatedtype Sender: ExpressibleByNilLiteral = NoSender

    /// Where the source keeps its observers.
    ///
    /// It is a stored property, `let eventRegistrar = EventRegistrar<Event>()`. Observing a source whose registrar is computed, or
    /// another object's, ends the program with a message.
    var eventRegistrar: EventRegistrar<Event> { get }

    /// Called when an observation of this source has been added, before `observe` returns.
    ///
    /// Here a source begins what it takes to notice events. Calls may come from any thread, and of two threads the later may come first:
    /// count, and do not toggle. The default does nothing.
    func observationDidBegin(_ info: ObservationInfo)

    /// Called when an observation of this source has ended, unless the source itself is going.
    ///
    /// The default does nothing.
    func observationDidEnd(_ info: ObservationInfo)

    /// What a topic and a sender stand for.
    func _target(of topic: Topic, from sender: Sender) -> _EventTarget
}

/// The topic of sources without topics: it can only be left out.
public struct NoTopic: ExpressibleByNilLiteral, Sendable {
    /// Makes it of nil.
    public init(nilLiteral: ()) {}
}

/// The sender of sources without senders: it can only be left out.
public struct NoSender: ExpressibleByNilLiteral, Sendable {
    /// Makes it of nil.
    public init(nilLiteral: ()) {}
}

extension ObservationSource where Topic == NoTopic, Sender == NoSender {
    /// All events.
    @inlinable
    public func _target(of topic: NoTopic, from sender: NoSender) -> _EventTarget { _EventTarget() }
}

extension ObservationSource {
    /// Does nothing.
    public func observationDidBegin(_ info: ObservationInfo) {}

    /// Does nothing.
    public func observationDidEnd(_ info: ObservationInfo) {}
}

/// An event of a source on its way.
@usableFromInline
struct SourceEvent<Event> {
    // SAFETY: the registrar is stored in the source, and whoever notifies holds it as long as the delivery lasts.
    @usableFromInline let source: Unretained<AnyObject>
    @usableFromInline let event: Event

    @inlinable
    init(source: Unretained<AnyObject>, event: Event) {
        self.source = source
        self.event = event
    }
}
