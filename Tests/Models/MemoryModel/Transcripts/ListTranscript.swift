/// The publication of the lists of stored properties: `ListChain`.
package struct ListTranscript {
    static let file = "Delivery/ObserverList/ListChain.swift"
    private static let atEnd = "Nobody else has the record any more, so that any order does."
    static let deinitHead = Site(file, "deinit", "load", .relaxed, untranscribed: atEnd)
    static let deinitNext = Site(file, "deinit", "load", .relaxed, untranscribed: atEnd)
    static let firstHead = Site(file, "first", "load", .acquiring)
    static let firstNext = Site(file, "first", "load", .acquiring)
    static let link = Site(file, "link", "compareExchange", .releasing)

    static let sites = [deinitHead, deinitNext, firstHead, firstNext, link]

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

    /// `first(where:)`: the list of a key; zero if there is none.
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
        ]
    }
}
