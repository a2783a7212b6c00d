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
public class MessageCenter: TopicSource, @unchecked Sendable {
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

    /// The object by which messages are observed; nil for every object and for messages without one.
    public typealias Sender = AnyObject?

    /// Returns the target of an observation: the messages with this name and object, where `nil` means any.
    public final func _target(of topic: MessageName?, from sender: AnyObject?) -> _EventTarget {
        _EventTarget(topics, topic.map { .name($0) } ?? .anyName, of: sender)
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

    /// Posts a message that the closure `message` makes.
    ///
    /// The closure is called only if the message has observers, or a decoder to make a typed message. It gets the object, or `nil` if the
    /// object is in its `deinit`.
    @inline(__always)
    private func post(_ name: MessageName, _ object: AnyObject?, _ message: (AnyObject?) -> NamedMessage) {
        if eventRegistrar.observers.isIdle { return }
        if let object, unsafe !Unretained(object).isBeingDestroyed {
            tell(name, object, message)
        } else {
            tell(name, nil, message)
        }
    }

    @inline(__always)
    private func tell(_ name: MessageName, _ object: AnyObject?, _ message: (AnyObject?) -> NamedMessage) {
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
