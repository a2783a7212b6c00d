import BenchmarkKit
import Synchronization

/// The list of observers that people write by hand: weak references and closures by the identity of the observer, under a lock.
struct WeakDictionary<Value: Sendable>: ~Copyable {
    typealias Handler = @Sendable (PeerView, _ old: Value, _ new: Value) -> Void

    private struct Entry {
        weak var observer: PeerView?
        let handler: Handler
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    func add(_ observer: PeerView, _ handler: @escaping Handler) {
        entries.withLock { $0[ObjectIdentifier(observer)] = Entry(observer: observer, handler: handler) }
    }

    func remove(_ observer: PeerView) {
        _ = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(observer)) }
    }

    /// Calls those who are alive, without the lock, and forgets the others.
    func notify(_ old: Value, _ new: Value) {
        let present = entries.withLock { $0.isEmpty ? nil : $0 }
        guard let present else { return }
        var dead: [ObjectIdentifier] = []
        for (identifier, entry) in present {
            if let observer = entry.observer { entry.handler(observer, old, new) } else { dead.append(identifier) }
        }
        guard !dead.isEmpty else { return }
        entries.withLock { entries in
            // Somebody new may be there under the identity of somebody dead.
            for identifier in dead where entries[identifier]?.observer == nil { entries[identifier] = nil }
        }
    }
}
