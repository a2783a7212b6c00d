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
