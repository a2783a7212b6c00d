/// The lists of topics: `TopicTable`, `TopicIndex` and `TopicPlaces`, in tables of three places that all topics have as their home.
struct TopicTranscript {
    static let indexFile = "Controller/Topics/TopicIndex.swift"
    static let withPlaces = Site(indexFile, "withPlaces", "load", .acquiring)
    static let makeRoom = Site(indexFile, "makeRoom", "store", .releasing)

    static let placesFile = "Controller/Topics/TopicPlaces.swift"
    static let firstList = Site(placesFile, "first", "load", .acquiring)
    static let firstHash = Site(placesFile, "first", "load", .relaxed)
    static let insertSearch = Site(placesFile, "insert", "load", .relaxed)
    static let insertLoad = Site(placesFile, "insert", "load", .relaxed)
    static let insertHash = Site(placesFile, "insert", "store", .relaxed)
    static let insertList = Site(placesFile, "insert", "store", .releasing)
    static let remove = Site(placesFile, "remove", "store", .releasing)
    static let forEach = Site(placesFile, "forEach", "load", .acquiring)

    static let tableFile = "Controller/Topics/TopicTable.swift"
    private static let counted = """
        Changed under the table's lock. A look without it spares events a search; one that is posted while the first topic of an object is registered \
        need not find it.
        """
    static let sites = [
        withPlaces, makeRoom, firstList, firstHash, insertSearch, insertLoad, insertHash, insertList, remove, forEach,
        Site(tableFile, "reserve", "wrappingAdd", .relaxed, untranscribed: counted),
        Site(tableFile, "hasObjectTopics", "load", .relaxed, untranscribed: counted),
        Site(tableFile, "remove", "wrappingSubtract", .relaxed, untranscribed: counted),
        Site(tableFile, "dropDeadTopics", "load", .relaxed, untranscribed: counted),
        Site(tableFile, "dropDeadTopics", "load", .relaxed, untranscribed: counted),
    ]

    /// The word of a place that was taken; that of a list is its topic and ten.
    private static let left = 1

    private struct Place {
        let hash: Memory.Atomic
        let list: Memory.Atomic
    }

    private struct Table {
        let object: Memory.Object
        let places: [Place]
    }

    private struct List {
        let object: Memory.Object
        let topic: Memory.Plain
        /// Where it is, under the table's lock.
        let place: Memory.Plain
    }

    private let pins: PinTranscript
    private let lock: Memory.Lock
    private let current: Memory.Atomic
    private let tables: [Table]
    private let lists: [List]

    /// Declares a table with lists of the first topics, and as many lists and tables as are made later.
    private init(_ memory: inout Memory, linked: Int, lists: Int, tables: Int) {
        pins = PinTranscript(&memory)
        lock = memory.lock("table.lock")
        current = memory.atomic("index.current", 1)
        self.lists = (1...lists).map { number in
            let object = memory.object("list \(number)")
            return List(
                object: object, topic: memory.plain("the topic of list \(number)", number <= linked ? number : 0, of: object),
                place: memory.plain("the place of list \(number)", number - 1))
        }
        self.tables = (1...tables).map { table in
            let object = memory.object("table \(table)")
            return Table(
                object: object,
                places: (1...3).map { number in
                    let isTaken = table == 1 && number <= linked
                    return Place(
                        hash: memory.atomic("place \(number).hash", isTaken ? number : 0, of: object),
                        list: memory.atomic("place \(number).list", isTaken ? number + 10 : 0, of: object))
                })
        }
    }

    /// Releases lists and tables; those of the tables are numbered from ten.
    private func release(_ t: ModelThread, _ set: Int) throws {
        for number in lists.indices where set & 1 << (number + 1) != 0 { try t.free(lists[number].object) }
        for number in tables.indices where set & 1 << (number + 11) != 0 { try t.free(tables[number].object) }
    }

    // MARK: TopicPlaces

    private func first(_ t: ModelThread, in table: Table, _ topic: Int) throws -> Int {
        for place in table.places {
            let word = try t.load(place.list, Self.firstList)
            if word == 0 { return 0 }
            if word == Self.left { continue }
            if try t.load(place.hash, Self.firstHash) == topic, try t.read(lists[word - 11].topic) == topic { return word - 10 }
        }
        return 0
    }

    private func insert(_ t: ModelThread, in table: Table, _ list: Int, _ hash: Int) throws {
        for (number, place) in table.places.enumerated() {
            if try t.load(place.list, Self.insertSearch) > Self.left { continue }
            try t.write(lists[list - 1].place, number)
            _ = try t.load(place.list, Self.insertLoad)
            try t.store(place.hash, hash, Self.insertHash)
            try t.store(place.list, list + 10, Self.insertList)
            return
        }
        try t.check(false, "the table is full")
    }

    // MARK: TopicTable

    /// The observer of a topic registers, which makes room in another table if that is said.
    private func add(_ t: ModelThread, _ list: Int, to other: Int? = nil) throws {
        try t.write(lists[list - 1].topic, list)
        let old = try t.withLock(lock) { () -> Int? in
            let present = try t.load(current, Self.withPlaces)
            if let other {
                for place in tables[present - 1].places {
                    let word = try t.load(place.list, Self.forEach)
                    if word > Self.left { try insert(t, in: tables[other - 1], word - 10, word - 10) }
                }
                try t.store(current, other, Self.makeRoom)
            }
            try insert(t, in: tables[(other ?? present) - 1], list, list)
            return other == nil ? nil : present
        }
        if let old { try release(t, pins.retireUnlocked(t, old + 10)) }
    }

    /// The last observer of a topic goes.
    private func remove(_ t: ModelThread, _ list: Int) throws {
        try t.withLock(lock) {
            let table = try tables[t.load(current, Self.withPlaces) - 1]
            try t.store(table.places[t.read(lists[list - 1].place)].list, Self.left, Self.remove)
        }
        try release(t, pins.retireUnlocked(t, list))
    }

    /// `tell(in:_:of:everything:_:)`.
    private func deliver(_ t: ModelThread, _ topic: Int, isThere: Bool) throws {
        let unit = try pins.pin(t)
        let table = try t.load(current, Self.withPlaces)
        let found = try first(t, in: tables[table - 1], topic)
        try t.check(found != 0 || !isThere, "an observer of a topic is not found")
        if found != 0 { try t.touch(lists[found - 1].object) }
        try release(t, pins.unpin(t, unit))
    }

    private func checkOver(_ t: ModelThread, freedLists: [Int], freedTables: [Int]) throws {
        try pins.checkOver(t)
        for number in freedLists { try t.check(t.isFreed(lists[number - 1].object), "the list of a topic is never released") }
        for number in freedTables { try t.check(t.isFreed(tables[number - 1].object), "a table is never released") }
    }

    static var programs: [Program] {
        func program(
            _ name: String, linked: Int, lists: Int, tables: Int, freedLists: [Int] = [], freedTables: [Int] = [],
            _ threads: [(name: String, body: (TopicTranscript, ModelThread) throws -> Void)]
        ) -> Program {
            var memory = Memory()
            let topics = TopicTranscript(&memory, linked: linked, lists: lists, tables: tables)
            return Program(name, memory, threads.map { thread in (thread.name, [{ try thread.body(topics, $0) }]) }) {
                try topics.checkOver($0, freedLists: freedLists, freedTables: freedTables)
            }
        }
        return [
            program(
                "topics: a list is added", linked: 1, lists: 2, tables: 1,
                [("post", { try $0.deliver($1, 2, isThere: false) }), ("registration", { try $0.add($1, 2) })]),
            program(
                "topics: a table is replaced", linked: 1, lists: 2, tables: 2, freedTables: [1],
                [("post", { try $0.deliver($1, 1, isThere: true) }), ("registration", { try $0.add($1, 2, to: 2) })]),
            program(
                "topics: a list is removed, and another takes its place", linked: 1, lists: 2, tables: 1, freedLists: [1],
                [
                    ("post", { try $0.deliver($1, 1, isThere: false) }),
                    (
                        "registrations",
                        { topics, t in
                            try topics.remove(t, 1)
                            try topics.add(t, 2)
                        }
                    ),
                ]),
            program(
                "topics: a list before another is removed", linked: 2, lists: 2, tables: 1, freedLists: [1],
                [("post", { try $0.deliver($1, 2, isThere: true) }), ("removal", { try $0.remove($1, 1) })]),
        ]
    }
}
