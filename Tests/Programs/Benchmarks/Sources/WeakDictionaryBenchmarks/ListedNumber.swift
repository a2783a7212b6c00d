import Synchronization

/// A number under a lock, and those who are told of it.
final class ListedNumber: Sendable {
    private let value = Mutex(0)
    let list = ListedNames.List()

    func set(_ new: Int) {
        let old = value.withLock { value in
            let old = value
            value = new
            return old
        }
        list.observers.notify(old, new)
    }
}
