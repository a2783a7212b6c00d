import Synchronization

/// A place in a handler or a getter where the first thread that comes by is held until the test lets it go.
package final class Gate: Sendable {
    private let isTaken = Atomic(false)
    private let held = Flag()
    private let opened = Flag()

    package init() {}

    /// Holds the first thread that comes here.
    package func pass() {
        if isTaken.exchange(true, ordering: .acquiringAndReleasing) { return }
        held.set()
        opened.wait()
    }

    /// Waits until a thread is held.
    package func waitUntilHeld() { held.wait() }

    /// Lets the thread that is held go.
    package func open() { opened.set() }
}
