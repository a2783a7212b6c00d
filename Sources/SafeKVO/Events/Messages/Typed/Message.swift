/// A message that is a type: its observers get the value, not a dictionary.
///
/// ```swift
/// struct CoverWanted: Message { let title: String }
///
/// observations.observe(center, for: CoverWanted.self) { library, message in library.load(message.title) }
/// center.post(CoverWanted(title: "Suites"))
/// ```
///
/// Observers of a type hear messages that are posted as that type: of a class hierarchy, the class that the poster's variable has.
public protocol Message {}

/// A decoder of messages of a type that only it knows.
class AnyMessageDecoder: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the one subclass adds constants that are `Sendable`.

    /// Posts what a message says as a message of the decoder's type.
    func decode(_ raw: NamedMessage, for center: MessageCenter) {
        preconditionFailure("Internal error of SafeKVO: `AnyMessageDecoder.decode` has no override. Please report it.")
    }
}

/// How a message with a name becomes one with a type.
///
/// ```swift
/// center.setDecoder(
///     MessageDecoder { raw in
///         guard let title = raw.userInfo["title"] as? String else { throw Missing.title }
///         return CoverWanted(title: title)
///     }, for: .coverWanted)
/// ```
///
/// What a payload consists of is known here and nowhere else: observers see the type.
public struct MessageDecoder: Sendable {
    let base: AnyMessageDecoder

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - type: What it makes.
    ///   - fileID: Leave it out: it tells warnings where the decoder was written.
    ///   - line: Leave it out, likewise.
    ///   - decode: Makes the message. It is called once for each message of the name, on the thread that posts, if anybody observes the type.
    ///     What it throws is told to ``ObservationDiagnostics/warningHandler``.
    public init<Decoded: Message>(
        _ type: Decoded.Type = Decoded.self, fileID: StaticString = #fileID, line: UInt = #line,
        decode: @escaping @Sendable (_ raw: NamedMessage) throws -> Decoded
    ) {
        base = TypedMessageDecoder(SourcePosition(fileID: fileID, line: line), decode)
    }
}

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
