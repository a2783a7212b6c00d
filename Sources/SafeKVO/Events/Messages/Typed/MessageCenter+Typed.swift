extension MessageCenter {
    /// Posts a message of a type.
    ///
    /// Observers of that type hear it; those of names do not, for it has none.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - object: What it is about, or who posts it: for those who observe messages of that object only.
    /// - Complexity: O(*n*) for *n* observers of such messages, however many others there are.
    @inlinable
    public final func post<Posted: Message>(_ message: Posted, object: AnyObject? = nil) {
        if eventRegistrar.observers.isIdle { return }
        var event = SourceEvent(source: Unretained(self), event: message)
        unsafe withUnsafePointer(to: &event) { pointer in
            // SAFETY: the pointer is used during the call only.
            notify(unsafe EventPointer(UnsafeRawPointer(pointer)), type: ObjectIdentifier(Posted.self), of: object) {
                TypedEventBox<SourceEvent<Posted>>(copying: $0)
            }
        }
    }

    /// Sets the decoder for messages of a name, or removes it.
    ///
    /// Whenever a message of that name is posted, those who observe the decoder's type hear what it makes of it, after those who observe the name.
    /// It is decoded once, however many they are, and not at all if there are none.
    ///
    /// - Parameters:
    ///   - decoder: The decoder; nil for none, so that the ``decoderProvider`` is asked.
    ///   - name: Which messages it is for.
    public final func setDecoder(_ decoder: MessageDecoder?, for name: MessageName) {
        decoders.setDecoder(decoder, for: name)
    }

    /// Asked for a decoder of messages whose name has none, when the first of them is posted; what it answers is remembered.
    ///
    /// It runs on the thread that posts, under no lock; if two threads post the first at once, it may be asked twice. Setting another forgets the
    /// answers.
    public final var decoderProvider: (@Sendable (_ name: MessageName) -> MessageDecoder?)? {
        get { decoders.provider }
        set { decoders.provider = newValue }
    }

    /// What observers of a type ask for.
    static func subject<Content: Message>(of type: Content.Type) -> TopicKey.Subject { .type(ObjectIdentifier(type)) }

    /// Tells a message to the observers of its type.
    @usableFromInline
    final func notify(_ event: EventPointer, type: ObjectIdentifier, of object: AnyObject?, box: (EventPointer) -> EventBox) {
        let object = object.flatMap { unsafe Unretained($0).isBeingDestroyed ? nil : $0 }
        guard let record = eventRegistrar.observers.record else { return }
        topics.tell(in: record, .type(type), of: object, everything: nil) { $0.tell(event, box: box) }
    }
}
