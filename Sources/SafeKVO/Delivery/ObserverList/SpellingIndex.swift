internal import Synchronization

/// The lists of a record by the hash of their key paths: a binary trie over the bits of the hash, read without a lock.
///
/// Lists are added under the record's lock and are never removed, so a search that ends at a free place has seen all that were added before.
/// Key paths with arguments may be many: looking for one compares it with those of the same hash only.
struct SpellingIndex: ~Copyable {
    // SAFETY: a word in `root` or in a node is zero or the address of a node that the index owns a reference to. The record keeps the lists.

    private let root = Atomic<UInt>(0)
    /// The list that was added last: the end of the chain is not far behind it.
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
        /// A free place: the root, or one below a node.
        case free(below: Unretained<Node>?, isOne: Bool)
    }

    /// The hash of a key path; the object as a whole has one hash, whatever class names it.
    private static func hash(_ keyPath: AnyKeyPath) -> Int { keyPath.isEntireObject ? 1 : keyPath.hashValue }

    /// Looks for a key path.
    ///
    /// The comparison may run user code, the `==` of an argument.
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

    /// The list of a key path, if it was added.
    ///
    /// Not retained: the record keeps it.
    func first(_ keyPath: AnyKeyPath) -> Unretained<ObserverList>? {
        if root.load(ordering: .acquiring) == 0 { return nil }
        guard case .found(let list) = search(keyPath, Self.hash(keyPath)) else { return nil }
        return list
    }

    /// The list of a key path, or a new one.
    ///
    /// - Parameters:
    ///   - keyPath: The key path.
    ///   - chain: Keeps the lists, and has a new one before it can be found here.
    ///   - lock: The record's lock.
    ///   - make: Makes a list.
    /// - Returns: the list.
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

    /// Adds a node at a place, if that is still free.
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

/// One more key path that leads to a list.
final class KeyPathSpelling {
    let keyPath: AnyKeyPath
    /// Written before the spelling is published.
    var next: Unretained<KeyPathSpelling>?

    init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }
}

extension AnyKeyPath {
    /// Whether two key paths differ at most in the class that they begin with: `\Sub.x` and `\Base.x`.
    ///
    /// Nothing is read through either.
    func isSpelling(of other: AnyKeyPath) -> Bool {
        if self == other { return true }
        if isEntireObject, other.isEntireObject { return true }
        let (mine, its) = (type(of: self), type(of: other))
        guard mine.valueType == its.valueType, mine.rootType != its.rootType else { return false }
        // Behind a step that ends in the one's class, only one type is left to compare.
        func compare<Root>(_ root: Root.Type) -> Bool {
            func compare<Value>(_ value: Value.Type) -> Bool {
                let step: KeyPath<RootHolder<Root>, Root> = \.root
                // SAFETY: the other key path's class is taken for that of a key path from `Root`, for appending it only, which copies its
                // components and looks at no object.
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
