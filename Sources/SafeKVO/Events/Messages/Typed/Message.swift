/// A message that is a value of its own type.
///
/// Its observers get that value instead of a dictionary.
///
/// ```swift
/// struct CoverWanted: Message { let title: String }
///
/// observations.observe(center, for: CoverWanted.self) { library, message in
///     library.load(message.title)
/// }
/// center.post(CoverWanted(title: "Suites"))
/// ```
///
/// A message is delivered to the observers of its static type. If the message is an object, that is the type of the posted variable, not
/// the class of the object.
public protocol Message {}

/// A decoder that makes a message of a type from a message with a name.
///
/// ```swift
/// center.setDecoder(
///     MessageDecoder { raw in
///         guard let title = raw.userInfo["title"] as? String else {
///             throw Missing.title
///         }
///         return CoverWanted(title: title)
///     }, for: .coverWanted)
/// ```
///
/// Only the decoder needs to know the keys of the dictionary. The observers get a value of the type.
public struct MessageDecoder: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `decode` captures only `Sendable` constants and the type of the decoded messages.

    let decode: (_ raw: NamedMessage, _ center: MessageCenter) -> Void

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - type: The type of the decoded messages.
    ///   - decode: Makes a message of the type from a message with a name. If the type has observers, the closure is called once for each
    ///     message, on the thread that posts. An error that it throws is reported to ``ObservationDiagnostics/warningHandler``.
    public init<Decoded: Message>(
        _ type: Decoded.Type = Decoded.self, fileID: StaticString = #fileID, line: UInt = #line,
        decode: @escaping @Sendable (_ raw: NamedMessage) throws -> Decoded
    ) {
        let position = SourcePosition(fileID: fileID, line: line)
        self.decode = { raw, center in
            guard center.topics.isObserved(MessageCenter.subject(of: Decoded.self), of: raw.object) else { return }
            let message: Decoded
            do {
                message = try decode(raw)
            } catch {
                let keys = raw.userInfo.keys.map { "\($0)" }.sorted()
                ObservationDiagnostics.warn(
                    .undecodableMessage, at: position,
                    """
                    The `MessageDecoder` at \(position) could not decode the message '\(raw.name)' with the payload keys \(keys) as \
                    `\(Decoded.self)`: \(error). Observers of `\(Decoded.self)` were not notified. Post the payload that the decoder reads, or \
                    change the decoder.
                    """)
                return
            }
            center.post(message, object: raw.object)
        }
    }
}
