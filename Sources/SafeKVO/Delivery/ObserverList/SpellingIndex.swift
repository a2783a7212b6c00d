internal import Synchronization

/// Finds the observer list of a key path, in a binary tree over the bits of the key path's hash.
///
/// An object can have many lists, for example for `\.items[0]`, `\.items[1]` and so on. Lists are never removed, so a search needs no
/// lock. Adding a list requires the lock of the object's ``ObservationRecord``.
struct SpellingIndex: ~Copyable {
    private let root = OnceReference<Node>()
    /// The address of the list that was added last, to which the next list is linked; guarded by the lock.
    private let last = Atomic<UInt>(0)

    final class Node: Sendable {
        let hash: Int
        let list: ObserverList
        let zero = OnceReference<Node>()
        let one = OnceReference<Node>()

        init(_ hash: Int, _ list: ObserverList) {
            self.hash = hash
            self.list = list
        }
    }

    /// Releases the nodes one after the other.
    ///
    /// Key paths with equal hashes make the tree deep. If each node released the node below it, the stack could overflow.
    deinit {
        var nodes: [Node] = []
        // SAFETY: nobody else uses the index any more.
        func take(from place: borrowing OnceReference<Node>) { if let node = unsafe place.take() { nodes.append(node) } }
        take(from: root)
        while let node = nodes.popLast() {
            take(from: node.zero)
            take(from: node.one)
        }
    }

    private enum Search {
        case found(ObserverList)
        case free(below: Unretained<Node>?, isOne: Bool)
    }

    /// Finds the list of a key path, or the free place in the tree for a new node.
    ///
    /// The search may run code of the program: the `==` of a subscript argument.
    private func search(_ keyPath: AnyKeyPath, _ hash: Int, where isMeant: (ObserverList) -> Bool) -> Search {
        var below: Unretained<Node>?
        var isOne = false
        var bits = UInt(bitPattern: hash)
        var next = root.reference
        while let node = next {
            // SAFETY: nodes are never removed. The index retains the root node, and each node retains its child nodes.
            let list = unsafe node.with { node -> ObserverList? in
                if node.hash == hash, node.list.isSpelled(keyPath), isMeant(node.list) { return node.list }
                isOne = bits & 1 == 1
                next = isOne ? node.one.reference : node.zero.reference
                return nil
            }
            if let list { return .found(list) }
            below = node
            bits >>= 1
        }
        return .free(below: below, isOne: isOne)
    }

    func first(_ keyPath: AnyKeyPath, where isMeant: (ObserverList) -> Bool) -> ObserverList? {
        if root.isEmpty { return nil }
        guard case .found(let list) = search(keyPath, keyPath.hashValue, where: isMeant) else { return nil }
        return list
    }

    /// Returns the observer list of a key path, created if missing.
    ///
    /// A new list is also added to `chain`, the linked list of the object's observer lists.
    func list(
        of keyPath: AnyKeyPath, where isMeant: (ObserverList) -> Bool, in chain: borrowing ListChain, lock: borrowing Lock,
        orMake make: () -> ObserverList
    ) -> ObserverList {
        let hash = keyPath.hashValue
        var made: ObserverList?
        while true {
            switch search(keyPath, hash, where: isMeant) {
            case .found(let list): return list
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
            func add(at place: borrowing OnceReference<Node>) -> Bool {
                guard place.isEmpty else { return false }
                chain.append(added.list, after: Unretained(word: last.load(ordering: .relaxed)))
                last.store(Unretained(added.list).word, ordering: .relaxed)
                place.store(added)
                return true
            }
            guard let node else { return add(at: root) }
            return unsafe node.with { isOne ? add(at: $0.one) : add(at: $0.zero) }
        }
    }
}

/// A further key path of the property whose observers are in a list: it begins with another class, as `\Sub.x` does beside `\Base.x`.
final class KeyPathSpelling {
    private let keyPath: AnyKeyPath
    private let next = OnceReference<KeyPathSpelling>()

    init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// Appends this key path to the linked list whose first link is `place`.
    func add(to place: borrowing OnceReference<KeyPathSpelling>) {
        let stored = place.store(self)
        if stored !== self { add(to: stored.next) }
    }

    func contains(_ matches: (AnyKeyPath) -> Bool) -> Bool { matches(keyPath) || next.with { $0.contains(matches) } ?? false }
}

extension AnyKeyPath {
    /// Returns `true` if two key paths differ at most in the class that they begin with, as `\Sub.x` and `\Base.x` do.
    func isSpelling(of other: AnyKeyPath) -> Bool {
        if self == other { return true }
        // Nothing is appended for `\.self`, so the comparison below cannot be made with it.
        if isEntireObject || other.isEntireObject { return isEntireObject && other.isEntireObject }
        let (mine, its) = (type(of: self), type(of: other))
        guard mine.valueType == its.valueType, mine.rootType != its.rootType else { return false }
        // `\Sub.x` never equals `\Base.x`, because the two begin with different types. So append each of them to the key path
        // `\RootHolder<Root>.root`, and compare the results, which both begin with `RootHolder<Root>`.
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

    @usableFromInline
    var isEntireObject: Bool {
        func compare<Root>(_ root: Root.Type) -> Bool { self == \Root.self }
        let root = type(of: self).rootType
        return root == type(of: self).valueType && root is AnyClass && _openExistential(root, do: compare)
    }
}
