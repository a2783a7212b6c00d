import Synchronization

/// Is alive, or is not: what a call to the dead would find.
///
/// The mark is of an object of its own, so that the dead can be asked.
final class Probe: Sendable {
    private let isGone = Atomic<Bool>(false)

    /// Says that the object that has the probe is going.
    func end() { isGone.store(true, ordering: .sequentiallyConsistent) }

    var isAlive: Bool { !isGone.load(ordering: .sequentiallyConsistent) }
}
