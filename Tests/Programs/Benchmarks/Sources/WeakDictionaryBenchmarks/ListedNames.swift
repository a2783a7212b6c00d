import BenchmarkKit
import Synchronization

/// A centre written by hand: a list of observers for each name.
final class ListedNames: Sendable {
    /// A list, which cannot be copied, in a dictionary.
    final class List: Sendable {
        let observers = WeakDictionary<Int>()

        @inline(never)
        func send(_ value: Int) { observers.notify(value, value) }
    }

    private let lists = Mutex<[String: List]>([:])

    @inline(never)
    func add(_ name: String, _ view: PeerView) {
        let list = lists.withLock { lists in
            if let list = lists[name] { return list }
            let list = List()
            lists[name] = list
            return list
        }
        list.observers.add(view) { view, _, new in view.sum &+= new &* view.step }
    }

    @inline(never)
    func remove(_ name: String, _ view: PeerView) {
        lists.withLock { $0[name] }?.observers.remove(view)
    }

    @inline(never)
    func post(_ name: String, _ value: Int) {
        lists.withLock { $0[name] }?.observers.notify(value, value)
    }
}
