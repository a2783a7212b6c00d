public import SafeKVO

/// A center to which some objects post messages, and in which others observe them.
///
/// Neither side needs to know the other.
///
/// ```swift
/// let center = MessageCenter.default
/// observations.observe(center, for: .albumDidChange, object: album) { view, _ in
///     view.reload()
/// }
///
/// center.post(.albumDidChange, object: album)
/// ```
///
/// An observer selects messages by their name, by their object, by both or by neither. If the name is `nil`, the observer gets messages
/// with every name. If the object is `nil`, the observer gets messages with any object or none. Messages of a ``Message`` type have no
/// name; an observer selects them by their type.
///
/// ## Order
///
/// Posting calls the observers on the thread that posts, before it returns. All observers of a message are called in the order of their
/// registration, whether they observe its name, its object or both. An observer that is added during the delivery does not get the message.
/// An observer that is removed before its turn is not called. No lock is held during the calls.
///
/// ## Lifetime
///
/// A center retains neither its observers nor the objects whose messages they observe. If an object is deallocated and a new object gets
/// its address, the new object's messages do not reach observers of the old one. Controllers retain the centers that they observe, unless
/// they were made with `retainsObserved: false`.
///
/// ## Threads
///
/// Any thread may use a center. So a handler is isolated to an actor, or captures only what is `Sendable`, and its observer is `Sendable`. The
/// compiler does not check what a message carries: post objects that are not `Sendable` only where their observers run.
public class MessageCenter: SharedObservationSource, TopicSource, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) every stored property of this class is a constant (`let`) of a `Sendable` type.

    /// The shared center of the program.
    public static let `default` = MessageCenter()

    /// The storage of the observations of this center's messages.
    public final let eventRegistrar = EventRegistrar<NamedMessage>()
    package final let topics = TopicTable()
    final let decoders = DecoderTable()

    /// Makes a center that is independent of the shared one.
    public init() {}

    /// The name by which messages are observed; nil for every name.
    public typealias Topic = MessageName?

    /// The object whose messages are observed; nil selects the messages of every object, and those without an object.
    public typealias Sender = AnyObject?

    /// Returns the target of an observation: the messages with this name and object, where `nil` means any.
    public final func _target(of topic: MessageName?, from sender: AnyObject?) -> _EventTarget {
        _EventTarget(topic.map { .name($0) } ?? .anyName, of: sender, from: self)
    }

    deinit {
        topics.sourceDidDie(eventRegistrar)
    }

    /// Posts a message with a name.
    ///
    /// If the object of the message is in its `deinit`, the message is delivered without the object. It then does not reach observers of
    /// that object.
    ///
    /// - Parameter message: The message.
    /// - Complexity: O(*n*) for *n* observers of the message, whatever the number of other observers.
    public final func post(_ message: NamedMessage) {
        post(message.name, message.object) { object in
            object == nil && message.object != nil ? NamedMessage(name: message.name, userInfo: message.userInfo) : message
        }
    }

    /// The closure `message` is called only if there is an observer or a decoder.
    ///
    /// Its argument is `nil` if `object` is in its `deinit`.
    @inline(__always)
    private func post(_ name: MessageName, _ object: AnyObject?, _ message: (AnyObject?) -> NamedMessage) {
        if eventRegistrar.observers.isIdle { return }
        if let object, !isBeingDestroyed(object) {
            notify(name, object, message)
        } else {
            notify(name, nil, message)
        }
    }

    @inline(__always)
    private func notify(_ name: MessageName, _ object: AnyObject?, _ message: (AnyObject?) -> NamedMessage) {
        topics.notify(eventRegistrar.observers, from: self, about: .name(name), of: object) { message(object) }
        if !decoders.isEmpty { decoders.decoder(for: name)?.decode(message(object), self) }
    }

    /// Posts a message with a name.
    ///
    /// - Parameters:
    ///   - name: The name of the message.
    ///   - object: The object that the message concerns, or that posts it.
    /// - Complexity: O(*n*) for *n* observers of the message, whatever the number of other observers.
    public final func post(_ name: MessageName, object: AnyObject? = nil) {
        post(name, object) { NamedMessage(name, of: $0) }
    }

    /// Posts a message with a name and further information.
    ///
    /// - Parameters:
    ///   - name: The name of the message.
    ///   - object: The object that the message concerns, or that posts it.
    ///   - userInfo: Further information for the observers.
    /// - Complexity: O(*n*) for *n* observers of the message, whatever the number of other observers.
    public final func post(_ name: MessageName, object: AnyObject? = nil, userInfo: [AnyHashable: Any]) {
        post(name, object) { NamedMessage(name: name, object: $0, userInfo: userInfo) }
    }
}

/// A message with a name, an object that it concerns, and a dictionary of further information.
///
/// If you can choose, post a ``Message`` instead. The compiler checks the contents of a ``Message``.
public struct NamedMessage {
    /// The name of the message.
    public let name: MessageName
    /// The object that the message concerns, or that posts it.
    public let object: AnyObject?
    /// Further information for the observers.
    public var userInfo: [AnyHashable: Any] { payload ?? [:] }
    /// `nil` instead of an empty dictionary, because copying `nil` costs less.
    private let payload: [AnyHashable: Any]?

    /// Makes a message.
    ///
    /// - Parameters:
    ///   - name: The name of the message.
    ///   - object: The object that the message concerns, or that posts it.
    ///   - userInfo: Further information for the observers.
    public init(name: MessageName, object: AnyObject? = nil, userInfo: [AnyHashable: Any] = [:]) {
        self.name = name
        self.object = object
        payload = userInfo.isEmpty ? nil : userInfo
    }

    init(_ name: MessageName, of object: AnyObject?) {
        self.name = name
        self.object = object
        payload = nil
    }
}

extension MessageCenter {
    /// Posts a message of a ``Message`` type.
    ///
    /// The observers of the type are called on this thread, before this function returns. The message has no name, so observers of names
    /// are not called.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - object: The object that the message concerns, or that posts it. An observer may restrict its observation to one object.
    /// - Complexity: O(*n*) for *n* observers of the message, whatever the number of other observers.
    @inlinable
    public final func post<Posted: Message>(_ message: Posted, object: AnyObject? = nil) {
        if eventRegistrar.observers.isIdle { return }
        EventPointer.with(SourceEvent(source: Unretained(self), event: message)) {
            notify($0, type: ObjectIdentifier(Posted.self), of: object, box: $1)
        }
    }

    /// Observes messages of a type without a controller, and calls a handler with each message.
    ///
    /// ```swift
    /// token = center.observation(for: CoverWanted.self) { message in … }
    /// ```
    ///
    /// To observe messages with names, use `observation(for:object:)`, which every source of events has.
    ///
    /// - Parameters:
    ///   - type: The type of the messages.
    ///   - object: The object with which the messages are posted. If it is `nil`, messages with any object or none are observed. It is not
    ///     retained.
    ///   - handler: Called with each message, on the thread that posts it. If the closure is isolated to an actor, it is called only for
    ///     messages that are posted on that actor, where the token must be made, too. It must not capture an object that retains the token.
    ///   - onTermination: Called once, after the last call of the handler, with the reason for the end of the observation.
    /// - Returns: the token, which ends the observation when it is cancelled or deallocated. It does not retain the center.
    /// - Complexity: O(1), whatever the number of other observers.
    public final func observation<Content: Message>(
        for type: Content.Type, object: AnyObject? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line,
        @_inheritActorContext handler: @escaping @Sendable @isolated(any) (_ message: Content) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationToken {
        // SAFETY: The cast drops only `@Sendable` and the isolation, and the library calls the closure in that isolation.
        let function = unsafe unsafeBitCast(handler, to: ((Content) -> Void).self)
        return ObservationToken {
            let registration = Registration(of: handler.isolation, in: isolation, nil, .ignore, fileID, line, onTermination)
            return $0.core.observe(
                self, type: ObjectIdentifier(type), of: object, registration,
                make: { HandlerInfo<ObservationToken, Content>(event: $0) { _, message in function(message) } })
        }
    }

    /// Sets the decoder for messages with a name, or removes it.
    ///
    /// A decoder converts each message with the name to a message of a type. Observers of that type are called after the observers of the
    /// name. A message is decoded once at most, and only if somebody observes the type.
    ///
    /// - Parameters:
    ///   - decoder: The decoder. If it is nil, the decoder is removed, and the ``decoderProvider`` is called instead.
    ///   - name: The name of the messages.
    public final func setDecoder(_ decoder: MessageDecoder?, for name: MessageName) {
        decoders.setDecoder(decoder, for: name)
    }

    /// A closure that returns decoders for names that have none.
    ///
    /// The center calls the closure when the first message with such a name is posted, and keeps the result. Setting another closure
    /// discards these results.
    ///
    /// The closure runs on the thread that posts, while no lock is held. If two threads post the first message at the same time, the
    /// closure may be called twice.
    public final var decoderProvider: (@Sendable (_ name: MessageName) -> MessageDecoder?)? {
        get { decoders.provider }
        set { decoders.provider = newValue }
    }

    static func subject<Content: Message>(of type: Content.Type) -> TopicKey.Subject { .type(ObjectIdentifier(type)) }

    @usableFromInline
    final func notify(_ event: EventPointer, type: ObjectIdentifier, of object: AnyObject?, box: (EventPointer) -> EventBox) {
        let object = object.flatMap { isBeingDestroyed($0) ? nil : $0 }
        topics.notify(in: eventRegistrar.observers, .type(type), of: object, everything: nil) { $0.notify(event, pinnedBy: $1, box: box) }
    }
}
