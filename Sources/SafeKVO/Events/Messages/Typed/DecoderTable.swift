internal import Synchronization

/// The decoders of a centre, by the names that they are for.
final class DecoderTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything but the atomic belongs to `lock`; the provider runs, and whatever goes is released, outside.

    /// What is known of a name.
    private enum Entry {
        /// Registered for the name.
        case registered(AnyMessageDecoder)
        /// What the provider answered.
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

    /// Whether no message can be decoded.
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

    /// The decoder for a name; the provider is asked about a name that was never asked for before.
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
            // Another thread may have asked too, or somebody registered a decoder, or changed the provider: what is there counts.
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
