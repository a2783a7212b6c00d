internal import SafeKVO
internal import Synchronization

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

/// A decoder that converts messages with a name to messages of a ``Message`` type.
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
    ///   - decode: Converts a message with a name to a message of the type. If the type has observers, the closure is called once for each
    ///     message, on the thread that posts. An error that it throws is reported to `ObservationDiagnostics.warningHandler`.
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

/// The decoders of a message center, which convert messages with a name to messages of a type.
///
/// If a name has no decoder, the center asks the *provider*, a closure of the program.
final class DecoderTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `hasNone` is atomic, and `lock` guards the other variables. No lock is held while the provider runs
    // or removed objects are released.

    /// The stored decoder for one name; `decoder` is `nil` if the provider, a closure of the program, returned `nil`.
    private struct Entry {
        let decoder: MessageDecoder?
        /// `true` if the provider made the decoder; `false` if the program set the decoder with `setDecoder(_:for:)`.
        ///
        /// A new provider replaces only the decoders that the former provider made.
        let isProvided: Bool
    }

    private let lock = Lock()
    private var entries: [MessageName: Entry] = [:]
    private var currentProvider: (@Sendable (MessageName) -> MessageDecoder?)?
    private var providerNumber = 0
    private let hasNone = Atomic(true)

    var isEmpty: Bool { hasNone.load(ordering: .acquiring) }

    var provider: (@Sendable (MessageName) -> MessageDecoder?)? {
        get { lock.withLock { currentProvider } }
        set {
            var old = newValue
            let forgotten = lock.withLock { () -> [MessageName: Entry] in
                swap(&currentProvider, &old)
                providerNumber += 1
                let forgotten = entries
                entries = entries.filter { !$0.value.isProvided }
                noteEmptiness()
                return forgotten
            }
            withExtendedLifetime(forgotten) {}
        }
    }

    func setDecoder(_ decoder: MessageDecoder?, for name: MessageName) {
        let new = decoder.map { Entry(decoder: $0, isProvided: false) }
        let old = lock.withLock { () -> Entry? in
            let old = entries.removeValue(forKey: name)
            entries[name] = new
            noteEmptiness()
            return old
        }
        withExtendedLifetime(old) {}
    }

    private func noteEmptiness() {
        hasNone.store(entries.isEmpty && currentProvider == nil, ordering: .releasing)
    }

    /// Returns the decoder for a name, or `nil`.
    ///
    /// The answer of the program's provider is stored, even if it is `nil`.
    func decoder(for name: MessageName) -> MessageDecoder? {
        let (entry, provider, number) = lock.withLock { (entries[name], currentProvider, providerNumber) }
        if let entry { return entry.decoder }
        guard let provider else { return nil }
        let answer = provider(name)
        return lock.withLock {
            // While the provider ran without the lock, another thread may have stored a decoder. Use that decoder.
            if let entry = entries[name] { return entry.decoder }
            // The provider is the program's function that makes a decoder for a name. If it was replaced meanwhile, use its answer only
            // this time, without storing it.
            if providerNumber == number { entries[name] = Entry(decoder: answer, isProvided: true) }
            return answer
        }
    }
}
