internal import Synchronization

/// The decoders of a message center, one for each message name.
///
/// A decoder converts a message to a value of a type. The *provider* is a closure of the program that returns the decoder for a name on
/// demand.
final class DecoderTable: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `hasNone` is atomic, and `lock` guards the other variables. No lock is held while the provider runs
    // or removed objects are released.

    /// The stored result for a name; `decoder` is `nil` if the provider, a closure of the program, returned none.
    private struct Entry {
        let decoder: MessageDecoder?
        /// `true` if the provider returned the decoder; `false` if the program called `setDecoder`.
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

    /// Returns the decoder for a name, or `nil` if there is none.
    ///
    /// The first call for a name stores the provider's result, even `nil`.
    func decoder(for name: MessageName) -> MessageDecoder? {
        let (entry, provider, number) = lock.withLock { (entries[name], currentProvider, providerNumber) }
        if let entry { return entry.decoder }
        guard let provider else { return nil }
        let answer = provider(name)
        return lock.withLock {
            // The provider ran without the lock. If another thread has stored a decoder meanwhile, use that one. If the
            // program has replaced the provider meanwhile, use `answer` for this message, but do not store it.
            if let entry = entries[name] { return entry.decoder }
            if providerNumber == number { entries[name] = Entry(decoder: answer, isProvided: true) }
            return answer
        }
    }
}
