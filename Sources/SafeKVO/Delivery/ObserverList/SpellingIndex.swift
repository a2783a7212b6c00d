internal import Synchronization

/// Finds the observer list of a key path, in a binary tree over the bits of the key path's hash.
///
/// An object can have many lists, for example for `\.items[0]`, `\.items[1]` and so on. Lists are never removed, so a search needs no
/// lock. Adding a list requires the lock of the object's ``ObservationRecord``.
struct SpellingIndex: ~Copyable {
    // SAFETY: (of each `Unretained`) the words `root`, `zero` and `one` contain 0 or the address of a node, which this
    // index retains until its `deinit`. The object's record keeps the lists.

    private let root = Atomic<UInt>(0)
    private let last = Atomic<UInt>(0)

    private final class Node: Sendable {
        let hash: Int
        let list: Unretained<ObserverList>
        let zero = Atomic<UInt>(0)
        let one = Atomic<UInt>(0)

        init(_ hash: Int, _ list: ObserverList) {
            self.hash = hash
            self.list = Unretained(list)
        }
    }

    deinit {
        var words = [root.load(ordering: .relaxed)]
        while let word = words.popLast() {
            guard let node = Unretained<Node>(word: word) else { continue }
            unsafe node.with { words += [$0.zero.load(ordering: .relaxed), $0.one.load(ordering: .relaxed)] }
            unsafe node.release()
        }
    }

    private enum Search {
        case found(Unretained<ObserverList>)
        case free(below: Unretained<Node>?, isOne: Bool)
    }

    /// The `\.self` key paths of all classes get the same hash, because the index treats them as equal.
    private static func hash(_ keyPath: AnyKeyPath) -> Int { keyPath.isEntireObject ? 1 : keyPath.hashValue }

    /// Finds the list of a key path, or the free place in the tree for a new node.
    ///
    /// The search may run code of the program: the `==` of a subscript argument.
    private func search(_ keyPath: AnyKeyPath, _ hash: Int) -> Search {
        var below: Unretained<Node>?
        var isOne = false
        var bits = UInt(bitPattern: hash)
        var word = root.load(ordering: .acquiring)
        while let node = Unretained<Node>(word: word) {
            let list = unsafe node.with { unsafe $0.hash == hash && $0.list.with { $0.isSpelled(keyPath) } ? $0.list : nil }
            if let list { return .found(list) }
            below = node
            isOne = bits & 1 == 1
            bits >>= 1
            word = unsafe node.with { isOne ? $0.one.load(ordering: .acquiring) : $0.zero.load(ordering: .acquiring) }
        }
        return .free(below: below, isOne: isOne)
    }

    func first(_ keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        if root.load(ordering: .acquiring) == 0 { return nil }
        guard case .found(let list) = search(keyPath, Self.hash(keyPath)) else { return nil }
        return list
    }

    /// Returns the list of a key path; if there is none, adds a new list to `chain`.
    func list(
        of keyPath: AnyKeyPath, in chain: borrowing ListChain, lock: borrowing Lock, orMake make: () -> ObserverList
    ) -> ObserverList {
        let hash = Self.hash(keyPath)
        var made: ObserverList?
        while true {
            switch search(keyPath, hash) {
            case .found(let list): return unsafe list.object
            case .free(let node, let isOne):
                let list = made ?? make()
                made = list
                if add(Node(hash, list), below: node, isOne: isOne, in: chain, lock) { return list }
            }
        }
    }

    private func add(
        _ added: Node, below node: Unretained<Node>?, isOne: Bool, in chain: borrowing ListChain, _ lock: borrowing Lock
    ) -> Bool {
        lock.withLock {
            func add(at place: borrowing Atomic<UInt>) -> Bool {
                if place.load(ordering: .relaxed) != 0 { return false }
                unsafe chain.append(added.list.object, after: Unretained(word: last.load(ordering: .relaxed)))
                last.store(added.list.word, ordering: .relaxed)
                unsafe Unretained(added).retain()
                place.store(Unretained(added).word, ordering: .releasing)
                return true
            }
            guard let node else { return add(at: root) }
            return unsafe node.with { isOne ? add(at: $0.one) : add(at: $0.zero) }
        }
    }
}

/// A key path that is equivalent to a list's key path, but begins with another class, as `\Sub.x` does for `\Base.x`.
final class KeyPathSpelling {
    let keyPath: AnyKeyPath
    var next: Unretained<KeyPathSpelling>?

    init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }
}

extension AnyKeyPath {
    /// Returns `true` if two key paths differ at most in the class that they begin with, as `\Sub.x` and `\Base.x` do.
    func isSpelling(of other: AnyKeyPath) -> Bool {
        if self == other { return true }
        if isEntireObject, other.isEntireObject { return true }
        let (mine, its) = (type(of: self), type(of: other))
        guard mine.valueType == its.valueType, mine.rootType != its.rootType else { return false }
        // Key paths with different root types are never equal. Appending each to `\.root` gives both the same root type.
        func compare<Root>(_ root: Root.Type) -> Bool {
            func compare<Value>(_ value: Value.Type) -> Bool {
                let step: KeyPath<RootHolder<Root>, Root> = \.root
                // SAFETY: `its` is the key path `other`, treated as one that begins with `Root`. Only
                // `appending(path:)` uses it, and copies its components without accessing an object.
                guard let mine = self as? KeyPath<Root, Value>,
                    let its = unsafe Unretained<KeyPath<Root, Value>>(word: Unretained(other).word)?.object
                else { return false }
                return step.appending(path: mine) == step.appending(path: its)
            }
            return _openExistential(mine.valueType, do: compare)
        }
        return mine.rootType is AnyClass && its.rootType is AnyClass && _openExistential(mine.rootType, do: compare)
    }

    var isEntireObject: Bool {
        func compare<Root>(_ root: Root.Type) -> Bool { self == \Root.self }
        let root = type(of: self).rootType
        return root == type(of: self).valueType && root is AnyClass && _openExistential(root, do: compare)
    }
}
