internal import Synchronization

/// The decoders of a message center, each for the messages with one name.
final class DecoderTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `hasNone` is atomic, and `lock` guards the other variables. The lock is not held while the provider
    // is called or removed objects are released.

    /// The decoder for a name, or `nil` if the provider has none.
    private struct Entry {
        let decoder: MessageDecoder?
        /// `true` if the entry is the result of the provider.
        let isProvided: Bool
    }

    private let lock = Lock()
    private var entries: [MessageName: Entry] = [:]
    private var currentProvider: (@Sendable (MessageName) -> MessageDecoder?)?
    /// The number of providers so far.
    private var providerNumber = 0
    private let hasNone = Atomic(true)

    /// `true` if there are no decoders and no provider, so that no message can be decoded.
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

    /// Returns the decoder for a name, or `nil` if there is none.
    ///
    /// If no decoder is stored for the name, the function calls the provider and stores the result, even if it is `nil`.
    func decoder(for name: MessageName) -> MessageDecoder? {
        let (entry, provider, number) = lock.withLock { (entries[name], currentProvider, providerNumber) }
        if let entry { return entry.decoder }
        guard let provider else { return nil }
        let answer = provider(name)
        return lock.withLock {
            // The provider ran outside the lock. Another thread may have stored a decoder for the name meanwhile, and that decoder takes
            // precedence. The provider may also have been replaced. Then its result is used once and not stored.
            if let entry = entries[name] { return entry.decoder }
            if providerNumber == number { entries[name] = Entry(decoder: answer, isProvided: true) }
            return answer
        }
    }
}
