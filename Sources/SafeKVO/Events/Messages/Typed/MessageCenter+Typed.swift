extension MessageCenter {
    /// Posts a message of a type.
    ///
    /// The observers of that type are called on this thread, before this function returns. Observers of names are not called, because the
    /// message has no name.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - object: The object that the message concerns, or that posts it. An observer may restrict its observation to one object.
    /// - Complexity: O(*n*) for *n* observers of the message, whatever the number of other observers.
    @inlinable
    public final func post<Posted: Message>(_ message: Posted, object: AnyObject? = nil) {
        if eventRegistrar.observers.isIdle { return }
        var event = SourceEvent(source: Unretained(self), event: message)
        unsafe withUnsafePointer(to: &event) { pointer in
            // SAFETY: `notify` does not keep `pointer`. The closure copies the event if a delivery needs it later.
            notify(unsafe EventPointer(UnsafeRawPointer(pointer)), type: ObjectIdentifier(Posted.self), of: object) {
                TypedEventBox<SourceEvent<Posted>>(copying: $0)
            }
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
    ///   - handler: Called with each message, on the thread that posts it. It must not capture an object that retains the token.
    ///   - onTermination: Called once, after the last call of the handler, with the reason for the end of the observation.
    /// - Returns: the token, which ends the observation when it is cancelled or deallocated. It does not retain the center.
    /// - Complexity: O(1), whatever the number of other observers.
    public final func observation<Content: Message>(
        for type: Content.Type, object: AnyObject? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, handler: @escaping (_ message: Content) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)? = nil
    ) -> ObservationToken {
        ObservationToken {
            $0.observe(
                self, for: type, object: object, isolation: isolation, fileID: fileID, line: line,
                handler: { _, message in handler(message) }, onTermination: onTermination)
        }
    }

    /// Sets the decoder for messages with a name, or removes it.
    ///
    /// A decoder makes a message of a type from each message with the name. Observers of that type are called after the observers of the
    /// name. Each message is decoded once, whatever the number of observers, and not at all if nobody observes the type.
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
        let object = object.flatMap { unsafe Unretained($0).isBeingDestroyed ? nil : $0 }
        guard let record = eventRegistrar.observers.record else { return }
        topics.tell(in: record, .type(type), of: object, everything: nil) { $0.tell(event, box: box) }
    }
}
