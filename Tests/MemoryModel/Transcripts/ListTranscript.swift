/// The publication of lists, of key paths that lead to them, and of their index: `ListChain`, `ObserverList.addSpelling(_:)`, `SpellingIndex`.
package struct ListTranscript {
    static let file = "Delivery/ObserverList/ListChain.swift"
    private static let atEnd = "Nobody else has the record any more, so that any order does."
    static let deinitHead = Site(file, "deinit", "load", .relaxed, untranscribed: atEnd)
    static let deinitNext = Site(file, "deinit", "load", .relaxed, untranscribed: atEnd)
    static let firstHead = Site(file, "first", "load", .acquiring)
    static let firstNext = Site(file, "first", "load", .acquiring)
    static let link = Site(file, "link", "compareExchange", .acquiringAndReleasing)

    static let indexFile = "Delivery/ObserverList/SpellingIndex.swift"
    static let addLast = Site(indexFile, "add", "load", .relaxed)
    static let addNewLast = Site(indexFile, "add", "store", .relaxed)

    static let sites = [deinitHead, deinitNext, firstHead, firstNext, link, addLast, addNewLast]

    /// A list: which key it is of, written before it is published.
    struct List {
        let key: Memory.Plain
        let next: Memory.Atomic
    }

    let head: Memory.Atomic
    let lists: [List]

    init(_ memory: inout Memory, of count: Int) {
        head = memory.atomic("lists.head")
        lists = (1...count).map {
            List(key: memory.plain("the key of list \($0)"), next: memory.atomic("list \($0).nextList"))
        }
    }

    func list(_ word: Int) -> List { lists[word - 1] }

    // MARK: ListChain

    /// `first(among:where:)`: the list of a key; zero if there is none.
    func first(_ t: ModelThread, _ key: Int) throws -> Int {
        var word = try t.load(head, Self.firstHead)
        while word != 0 {
            if try t.read(list(word).key) == key { return word }
            word = try t.load(list(word).next, Self.firstNext)
        }
        return 0
    }

    /// `list(where:orMake:)`: the list of a key, or the one that this thread can make.
    func list(_ t: ModelThread, _ key: Int, orMake made: Int) throws -> Int {
        var isMade = false
        while true {
            var last = 0
            var word = try t.load(head, Self.firstHead)
            while word != 0 {
                last = word
                if try t.read(list(word).key) == key { return word }
                word = try t.load(list(word).next, Self.firstNext)
            }
            if !isMade { try t.write(list(made).key, key) }
            isMade = true
            let exchanged =
                last != 0
                ? try t.compareExchange(list(last).next, expected: 0, desired: made, Self.link).exchanged
                : try t.compareExchange(head, expected: 0, desired: made, Self.link).exchanged
            if exchanged { return made }
        }
    }

    /// `append(_:after:)`.
    func append(_ t: ModelThread, _ word: Int, after known: Int) throws {
        var last = known
        while true {
            // The list is used, which its maker has written.
            if last != 0 { _ = try t.read(list(last).key) }
            let original =
                last != 0
                ? try t.compareExchange(list(last).next, expected: 0, desired: word, Self.link).original
                : try t.compareExchange(head, expected: 0, desired: word, Self.link).original
            if original == 0 { return }
            last = original
        }
    }

    /// Checks that these keys have one list each.
    func checkOver(_ t: ModelThread, _ keys: [Int]) throws {
        var there: [Int] = []
        var word = try t.load(head, Self.firstHead)
        while word != 0 {
            there.append(try t.read(list(word).key))
            word = try t.load(list(word).next, Self.firstNext)
        }
        try t.check(there.sorted() == keys, "a list is lost, or is there twice: \(there)")
    }
}

/// `SpellingIndex`: two keys whose hashes differ in their first bit.
struct IndexTranscript {
    struct Node {
        let list: Memory.Plain
        let zero: Memory.Atomic
        let one: Memory.Atomic
    }

    let lists: ListTranscript
    let lock: Memory.Lock
    let root: Memory.Atomic
    let last: Memory.Atomic
    let nodes: [Node]

    init(_ memory: inout Memory, of count: Int) {
        lists = ListTranscript(&memory, of: count)
        lock = memory.lock("record.lock")
        root = memory.atomic("index.root")
        last = memory.atomic("index.last")
        nodes = (1...count).map {
            Node(
                list: memory.plain("the list of node \($0)"), zero: memory.atomic("node \($0).zero"), one: memory.atomic("node \($0).one"))
        }
    }

    private func search(_ t: ModelThread, _ key: Int) throws -> (found: Int, place: Memory.Atomic) {
        var place = root
        var bits = key
        var word = try t.load(root, OnceTranscript.reference)
        while word != 0 {
            let node = nodes[word - 1]
            let list = try t.read(node.list)
            if try t.read(lists.list(list).key) == key { return (list, place) }
            let isOne = bits & 1 == 1
            bits >>= 1
            place = isOne ? node.one : node.zero
            word = try t.load(place, OnceTranscript.reference)
        }
        return (0, place)
    }

    func first(_ t: ModelThread, _ key: Int) throws -> Int {
        try t.load(root, OnceTranscript.isEmpty) == 0 ? 0 : search(t, key).found
    }

    /// The list of a key, or a new one: the list and the node of a number that only this thread has.
    func list(_ t: ModelThread, _ key: Int, orMake made: Int) throws -> Int {
        var isMade = false
        while true {
            let (found, place) = try search(t, key)
            if found != 0 { return found }
            if !isMade {
                try t.write(lists.list(made).key, key)
                try t.write(nodes[made - 1].list, made)
            }
            isMade = true
            let isAdded = try t.withLock(lock) {
                if try t.load(place, OnceTranscript.isEmpty) != 0 { return false }
                try lists.append(t, made, after: t.load(last, ListTranscript.addLast))
                try t.store(last, made, ListTranscript.addNewLast)
                return try t.compareExchange(place, expected: 0, desired: made, OnceTranscript.store).exchanged
            }
            if isAdded { return made }
        }
    }
}

extension ListTranscript {
    static var programs: [Program] {
        func program(
            _ name: String, keys: [Int], _ threads: [(ListTranscript, ModelThread) throws -> Void]
        ) -> Program {
            var memory = Memory()
            let lists = ListTranscript(&memory, of: 2)
            return Program(
                name, memory, threads.enumerated().map { index, body in ("thread \(index + 1)", [{ try body(lists, $0) }]) }
            ) { try lists.checkOver($0, keys) }
        }
        func make(_ key: Int, _ number: Int) -> (ListTranscript, ModelThread) throws -> Void {
            { lists, t in
                let made = try lists.list(t, key, orMake: number)
                try t.check(lists.first(t, key) == made, "a list that was made is not found")
            }
        }
        return [
            program("lists: two threads make the list of one key", keys: [1], [make(1, 1), make(1, 2)]),
            program("lists: two threads make lists of two keys", keys: [1, 2], [make(1, 1), make(2, 2)]),
            program(
                "lists: a search meanwhile", keys: [1, 2],
                [
                    make(1, 1), make(2, 2),
                    { lists, t in
                        _ = try lists.first(t, 2)
                    },
                ]),
        ] + indexPrograms
    }

    private static var indexPrograms: [Program] {
        func program(
            _ name: String, keys: [Int], spare: Int = 0, reader: ((IndexTranscript, ModelThread) throws -> Void)? = nil, _ made: [Int]
        ) -> Program {
            var memory = Memory()
            let index = IndexTranscript(&memory, of: made.count + spare)
            var threads: [Program.Thread] = made.enumerated().map { number, key in
                (
                    "thread \(number + 1)",
                    [
                        { t in
                            let list = try index.list(t, key, orMake: number + 1)
                            try t.check(index.first(t, key) == list, "a list that was made is not found")
                        }
                    ]
                )
            }
            if let reader { threads.append(("reader", [{ try reader(index, $0) }])) }
            return Program(name, memory, threads) { try index.lists.checkOver($0, keys) }
        }
        return [
            program("index: two threads make the list of one key path", keys: [4], [4, 4]),
            program(
                "index: a search while lists are made", keys: [4, 5],
                reader: { index, t in
                    if try index.first(t, 5) == 0 { _ = try index.first(t, 4) }
                }, [4, 5]),
            program(
                "index: a list is hung in without the lock meanwhile", keys: [4, 7], spare: 1,
                reader: { index, t in
                    _ = try index.lists.list(t, 7, orMake: 2)
                }, [4]),
            program(
                "index: a list is hung in without the lock behind another", keys: [4, 5, 7], spare: 1,
                reader: { index, t in
                    _ = try index.lists.list(t, 7, orMake: 3)
                }, [4, 5]),
            program(
                "index: a list hung in by a search of another kind", keys: [4, 6],
                reader: { index, t in
                    _ = try index.lists.first(t, 6)
                }, [4, 6]),
        ]
    }
}
