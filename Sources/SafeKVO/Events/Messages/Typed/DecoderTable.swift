internal import Synchronization

/// The decoders of a message center, each for the messages with one name.
final class DecoderTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `hasNone` is atomic, and `lock` guards the other variables. The lock is not held while the provider
    // is called or removed objects are released.

    /// The decoder for a name, and its origin.
    private enum Entry {
        /// A decoder that was registered for the name.
        case registered(AnyMessageDecoder)
        /// The result of the provider for the name: a decoder, or nil if the provider has none.
        case provided(AnyMessageDecoder?)
    }

    private final class Provider: Sendable {
        let decoder: @Sendable (MessageName) -> MessageDecoder?
        init(_ decoder: @escaping @Sendable (MessageName) -> MessageDecoder?) { self.decoder = decoder }
    }

    private let lock = Lock()
    private var entries: [MessageName: Entry] = [:]
    private var currentProvider: Provider?
    private let hasNone = Atomic(true)

    /// `true` if there are no decoders and no provider, so that no message can be decoded.
    var isEmpty: Bool { hasNone.load(ordering: .acquiring) }

    var provider: (@Sendable (MessageName) -> MessageDecoder?)? {
        get { lock.withLock { currentProvider }?.decoder }
        set {
            var old = newValue.map { Provider($0) }
            let forgotten = lock.withLock { () -> [MessageName: Entry] in
                swap(&currentProvider, &old)
                let forgotten = entries
                entries = entries.filter { if case .registered = $0.value { true } else { false } }
                noteEmptiness()
                return forgotten
            }
            withExtendedLifetime(forgotten) {}
        }
    }

    func setDecoder(_ decoder: MessageDecoder?, for name: MessageName) {
        let new = decoder.map { Entry.registered($0.base) }
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

    /// Returns the decoder for a name, or `nil` if there is none.
    ///
    /// If no decoder is stored for the name, the function calls the provider and stores the result, even if it is `nil`.
    func decoder(for name: MessageName) -> AnyMessageDecoder? {
        let (entry, provider) = lock.withLock { (entries[name], currentProvider) }
        switch entry {
        case .registered(let decoder): return decoder
        case .provided(let decoder): return decoder
        case nil: break
        }
        guard let provider else { return nil }
        let answer = provider.decoder(name)?.base
        return lock.withLock {
            // The provider ran outside the lock. Another thread may have stored a decoder for the name meanwhile, and that decoder takes
            // precedence. The provider may also have been replaced. Then its result is used once and not stored.
            switch entries[name] {
            case .registered(let decoder): return decoder
            case .provided(let decoder): return decoder
            case nil:
                if currentProvider === provider { entries[name] = .provided(answer) }
                return answer
            }
        }
    }
}
