/// A decoder of messages of a known type.
final class TypedMessageDecoder<Decoded: Message>: AnyMessageDecoder, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) constants that are `Sendable`.

    private let position: SourcePosition
    private let decode: @Sendable (NamedMessage) throws -> Decoded

    init(_ position: SourcePosition, _ decode: @escaping @Sendable (NamedMessage) throws -> Decoded) {
        self.position = position
        self.decode = decode
    }

    override func decode(_ raw: NamedMessage, for center: MessageCenter) {
        guard center.topics.isObserved(MessageCenter.subject(of: Decoded.self), of: raw.object) else { return }
        let message: Decoded
        do {
            message = try decode(raw)
        } catch {
            let keys = raw.userInfo.keys.map { "\($0)" }.sorted()
            ObservationDiagnostics.warn(
                .undecodableMessage, at: position,
                "The message '\(raw.name)' with the payload keys \(keys) could not be decoded as \(Decoded.self): \(error)")
            return
        }
        center.post(message, object: raw.object)
    }
}
