internal import Synchronization

/// An index of a record's lists by the hash of their key paths: a binary trie over the bits of the hash.
///
/// A search needs no lock. Lists are added under the record's lock and are never removed. So a search that ends at a free place has seen
/// every list that was added before. There may be many key paths with subscript arguments; a search compares its key path only with those
/// of the same hash.
struct SpellingIndex: ~Copyable {
    // SAFETY: A word in `root` or in a node is zero, or the address of a node to which the index owns a reference. The record keeps the
    // lists.

    private let root = Atomic<UInt>(0)
    /// The list that was added last, from which the end of the chain is only a few steps away.
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
        /// A free place: the root, or a child of a node.
        case free(below: Unretained<Node>?, isOne: Bool)
    }

    /// Returns the hash of a key path.
    ///
    /// All key paths `\.self` have the same hash, whatever class they begin with.
    private static func hash(_ keyPath: AnyKeyPath) -> Int { keyPath.isEntireObject ? 1 : keyPath.hashValue }

    /// Searches for a key path.
    ///
    /// The comparison may run code of the program: the `==` of a subscript argument.
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

    /// Returns the list of a key path, or `nil` if none has been added.
    ///
    /// The result is not retained, because the record keeps the list alive.
    func first(_ keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        if root.load(ordering: .acquiring) == 0 { return nil }
        guard case .found(let list) = search(keyPath, Self.hash(keyPath)) else { return nil }
        return list
    }

    /// Returns the list of a key path, or adds a new list.
    ///
    /// - Parameters:
    ///   - keyPath: The key path.
    ///   - chain: The chain that keeps the lists. A new list is added to it first, and can be found in the index after that.
    ///   - lock: The record's lock.
    ///   - make: Makes a list.
    /// - Returns: The list.
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

    /// Adds a node at a place, if the place is still free.
    ///
    /// - Returns: `true` if the node was added.
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

/// An alias of a list's key path: an equivalent key path that begins with another class.
final class KeyPathSpelling {
    let keyPath: AnyKeyPath
    /// The next alias of the same list, written before this one is published.
    var next: Unretained<KeyPathSpelling>?

    init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }
}

extension AnyKeyPath {
    /// Returns `true` if two key paths differ at most in the class that they begin with, as `\Sub.x` and `\Base.x` do.
    ///
    /// The comparison reads no value through either key path.
    func isSpelling(of other: AnyKeyPath) -> Bool {
        if self == other { return true }
        if isEntireObject, other.isEntireObject { return true }
        let (mine, its) = (type(of: self), type(of: other))
        guard mine.valueType == its.valueType, mine.rootType != its.rootType else { return false }
        // Two key paths with different root types never compare equal. So each is appended to the same first step, which gives them a
        // common root.
        func compare<Root>(_ root: Root.Type) -> Bool {
            func compare<Value>(_ value: Value.Type) -> Bool {
                let step: KeyPath<RootHolder<Root>, Root> = \.root
                // SAFETY: The other key path is treated as one that begins with `Root`, although its root is another class. It is only
                // appended, which copies its components and accesses no object.
                guard let mine = self as? KeyPath<Root, Value>,
                    let its = unsafe Unretained<KeyPath<Root, Value>>(word: Unretained(other).word)?.object
                else { return false }
                return step.appending(path: mine) == step.appending(path: its)
            }
            return _openExistential(mine.valueType, do: compare)
        }
        return mine.rootType is AnyClass && its.rootType is AnyClass && _openExistential(mine.rootType, do: compare)
    }

    /// `true` if this is the key path `\.self` of a class.
    var isEntireObject: Bool {
        func compare<Root>(_ root: Root.Type) -> Bool { self == \Root.self }
        let root = type(of: self).rootType
        return root == type(of: self).valueType && root is AnyClass && _openExistential(root, do: compare)
    }
}
