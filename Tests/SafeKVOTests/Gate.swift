import Synchronization

/// A place in a handler or a getter where the first thread that comes by is held until the test lets it go.
final class Gate: Sendable {
    private let isTaken = Atomic(false)
    private let held = Flag()
    private let opened = Flag()

    /// Holds the first thread that comes here.
    func pass() {
        if isTaken.exchange(true, ordering: .acquiringAndReleasing) { return }
        held.set()
        opened.wait()
    }

    /// Waits until a thread is held.
    func waitUntilHeld() { held.wait() }

    /// Lets the thread that is held go.
    func open() { opened.set() }
}
