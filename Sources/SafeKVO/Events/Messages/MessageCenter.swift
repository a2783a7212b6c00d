/// Where messages are posted by those who know of something, and observed by those who want to know of it, and neither knows the other.
///
/// ```swift
/// observations.observe(MessageCenter.default, for: .albumDidChange, object: album) { view, message in view.reload() }
///
/// MessageCenter.default.post(.albumDidChange, object: album)
/// ```
///
/// Messages with a name are observed by name, by object, by both or by neither: `nil` stands for every name, and for every object and none.
/// Messages that are values of a ``Message`` type are observed by their type.
///
/// ## Order
///
/// Posting calls the observers on the thread that posts, before it returns, in the order in which they registered, whatever each asked for.
/// Those that are added meanwhile do not hear the message, those that are removed meanwhile are not called. No lock is held.
///
/// ## Lifetime
///
/// A centre keeps neither observers nor the objects that they asked for. An object that is gone posts nothing, and a new one at its address is
/// not taken for it. A centre of your own is kept by the controllers that observe it, unless they were made with `retainsObserved: false`.
public class MessageCenter: TopicSource, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the tables guard themselves, the registrar is atomic.

    /// The centre that a program shares.
    public static let `default` = MessageCenter()

    /// Where the centre keeps the observers of everything.
    public final let eventRegistrar = EventRegistrar<NamedMessage>()
    package final let topics = TopicTable()
    final let decoders = DecoderTable()

    /// Makes a centre of your own.
    public init() {}

    /// Messages are asked for by their name.
    public typealias Topic = MessageName?

    /// Messages are asked for by the object that they were posted with.
    public typealias Sender = AnyObject?

    /// The messages with a name and an object.
    public final func _target(of topic: MessageName?, from sender: AnyObject?) -> _EventTarget {
        _EventTarget(topics, topic.map { .name($0) } ?? .anyName, of: sender)
    }

    deinit {
        topics.sourceDidDie(eventRegistrar)
    }

    /// Posts a message.
    ///
    /// A message of an object that is in its `deinit` is told without the object, and not to those who asked for that object.
    ///
    /// - Parameter message: The message.
    /// - Complexity: O(*n*) for *n* observers of such messages, however many others there are.
    public final func post(_ message: NamedMessage) {
        post(message.name, message.object) { object in
            object == nil && message.object != nil ? NamedMessage(name: message.name, userInfo: message.userInfo) : message
        }
    }

    /// Posts a message that is made if anybody wants it, of an object unless that is being destroyed.
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
        if !decoders.isEmpty { decoders.decoder(for: name)?.decode(message(object), for: self) }
    }

    /// Posts a message with a name.
    ///
    /// - Parameters:
    ///   - name: What has happened.
    ///   - object: What it has happened to, or who posts it.
    /// - Complexity: O(*n*) for *n* observers of such messages, however many others there are.
    public final func post(_ name: MessageName, object: AnyObject? = nil) {
        post(name, object) { NamedMessage(name, of: $0) }
    }

    /// Posts a message with a name and whatever else there is to say.
    ///
    /// - Parameters:
    ///   - name: What has happened.
    ///   - object: What it has happened to, or who posts it.
    ///   - userInfo: Everything else.
    /// - Complexity: O(*n*) for *n* observers of such messages, however many others there are.
    public final func post(_ name: MessageName, object: AnyObject? = nil, userInfo: [AnyHashable: Any]) {
        post(name, object) { NamedMessage(name: name, object: $0, userInfo: userInfo) }
    }
}
