import Synchronization

/// The least that several threads can set: everything under a lock, which is not held during the call.
final class LockedSubject: Settable, Sendable {
    private struct State {
        var value = 0
        weak var observer: LimitObserver?
        var didChange: (@Sendable (LimitObserver, Int) -> Void)?
    }

    private let state = Mutex(State())

    var value: Int {
        get { state.withLock { $0.value } }
        set {
            let (observer, didChange) = state.withLock { state in
                state.value = newValue
                return (state.observer, state.didChange)
            }
            if let observer { didChange?(observer, newValue) }
        }
    }

    @inline(never)
    func assign(_ new: Int) { value = new }

    func observe(_ observer: LimitObserver, _ didChange: @escaping @Sendable (LimitObserver, Int) -> Void) {
        state.withLock {
            $0.observer = observer
            $0.didChange = didChange
        }
    }
}

/// A value under a lock, which nobody observes.
final class LockedNumber: Settable, Sendable {
    private let state = Mutex(0)

    var value: Int {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    @inline(never)
    func assign(_ new: Int) { value = new }
}
