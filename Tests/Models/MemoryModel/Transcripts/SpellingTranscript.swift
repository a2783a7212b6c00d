/// The key paths of an `ObserverList`, what is noted of it, and the numbers of its changes.
package struct SpellingTranscript {
    static let file = "Delivery/ObserverList/ObserverList.swift"
    static let keyFile = "KeyValue/ObserverList+KeyPaths.swift"
    private static let hint = """
        A count by which a delivery skips work. It is asked before the observers are found, so that one may register in between under any order.
        """
    static let beginning = [
        Site(file, "wantsPriorCalls", "load", .relaxed, untranscribed: hint),
        Site(file, "wantsOldValues", "load", .relaxed, untranscribed: hint),
        Site(file, "wantsWholeValues", "load", .relaxed, untranscribed: hint),
        Site(file, "dependentCount", "load", .relaxed, untranscribed: hint),
    ]
    static let lastChange = Site(file, "lastChange", "load", .acquiring)
    static let numberChange = Site(file, "numberChange", "wrappingAdd", .acquiringAndReleasing)
    static let oneThreadLoad = Site(file, "numberChangeOfOneThread", "load", .relaxed)
    static let oneThreadStore = Site(file, "numberChangeOfOneThread", "store", .releasing)
    static let byHandOnly = Site(keyFile, "announceByHandOnly", "bitwiseOr", .relaxed)
    static let hasInterventions = Site(keyFile, "hasInterventions", "load", .relaxed)
    static let noteInheritance = Site(keyFile, "noteInheritance", "bitwiseOr", .relaxed)
    static let readsGetter = Site(keyFile, "readsThroughGetter", "load", .relaxed)
    static let noteStorage = Site(keyFile, "noteGetterReadsStorage", "bitwiseAnd", .relaxed)
    static let noteOverride = Site(keyFile, "noteOverride", "bitwiseOr", .relaxed)
    static let noteOverriding = Site(keyFile, "noteOverriding", "bitwiseOr", .relaxed)
    static let isOverriding = Site(keyFile, "isOverriding", "load", .relaxed)
    static let isUnexamined = Site(keyFile, "isUnexamined", "load", .relaxed)
    static let isHidden = Site(keyFile, "isHidden", "load", .relaxed)
    static let noteDependencies = Site(keyFile, "noteDependencies", "bitwiseOr", .relaxed)
    static let isDependent = Site(keyFile, "isDependent", "load", .relaxed)
    static let isByHandOnly = Site(keyFile, "isAnnouncedByHandOnly", "load", .relaxed)
    static let isOverridden = Site(keyFile, "isAnnounced", "load", .relaxed)
    private static let reported = "Noted for a warning, which may miss it."
    private static let counted = "Changed under the record's lock. \(hint)"
    static let sites =
        beginning
        + [
            lastChange, numberChange, oneThreadLoad, oneThreadStore, byHandOnly, hasInterventions, noteInheritance, readsGetter,
            noteStorage,
            noteOverride, noteOverriding, isOverriding, isUnexamined, isHidden, noteDependencies,
            isDependent,
            isByHandOnly, isOverridden,
        ]
        + [
            Site(keyFile, "noteReport", "bitwiseOr", .relaxed, untranscribed: reported),
            Site(keyFile, "isReported", "load", .relaxed, untranscribed: reported),
            Site(file, "link", "wrappingAdd", .relaxed, untranscribed: counted),
            Site(file, "unlink", "wrappingSubtract", .relaxed, untranscribed: counted),
            Site(file, "count", "wrappingAdd", .relaxed, untranscribed: counted),
            Site(file, "count", "wrappingAdd", .relaxed, untranscribed: counted),
            Site(file, "count", "wrappingAdd", .relaxed, untranscribed: counted),
        ]

    /// Equivalent key paths by number, written before they are handed in; the list keeps the first.
    let keyPaths: [Memory.Plain]
    let spelling: Memory.Atomic

    init(_ memory: inout Memory, of count: Int) {
        keyPaths = (1...count).map { memory.plain("key path \($0)") }
        spelling = memory.atomic("list.spelling")
    }

    /// `hasSpelling(_:)`, of a key path that is equivalent to those by number.
    func hasSpelling(_ t: ModelThread) throws -> Bool {
        let word = try t.load(spelling, OnceTranscript.reference)
        return try word != 0 && t.read(keyPaths[word - 1]) != 0
    }

    /// `spelling.store(_:)`, of a key path that this thread has.
    func add(_ t: ModelThread, _ word: Int) throws {
        try t.write(keyPaths[word - 1], word)
        if try !t.compareExchange(spelling, expected: 0, desired: word, OnceTranscript.store).exchanged {
            _ = try t.load(spelling, OnceTranscript.reference)
        }
    }
}

extension SpellingTranscript {
    static var programs: [Program] {
        func program(_ name: String, _ adding: Int) -> Program {
            var memory = Memory()
            let list = SpellingTranscript(&memory, of: adding)
            var threads: [Program.Thread] = (1...adding).map { word in
                (
                    "thread \(word)",
                    [
                        { t in
                            try list.add(t, word)
                            try t.check(list.hasSpelling(t), "a key path that was added is not found")
                        }
                    ]
                )
            }
            threads.append(("reader", [{ t in _ = try list.hasSpelling(t) }]))
            return Program(name, memory, threads) { t in
                try t.check(list.hasSpelling(t), "a key path is lost")
            }
        }
        return [
            program("spelling: two key paths and a search", 2), program("spelling: the first key path", 1), hidden(.none), hiddenFirst,
            noted, examined,
            overriding, numbers(ofOneThread: false), numbers(ofOneThread: true),
        ]
    }

    // The bits of `interventions`.
    private static let byHand = 1
    private static let getter = 1 << 1
    private static let unexamined = 1 << 2
    private static let overridden = 1 << 3
    private static let dependsOnOthers = 1 << 6

    /// What `PropertyAccess.makeList(of:_:isInherited:keyPath:in:)` does with a list that was made by a setter that knows no key path.
    private static func introduction(_ list: SpellingTranscript, _ interventions: Memory.Atomic) -> Program.Thread {
        (
            "registration",
            [
                { t in
                    if try t.load(list.spelling, OnceTranscript.reference) != 0 { return }
                    try t.or(interventions, getter | unexamined, noteInheritance)
                    try t.or(interventions, byHand, byHandOnly)
                    try t.or(interventions, dependsOnOthers, noteDependencies)
                    try list.add(t, 1)
                }
            ]
        )
    }

    /// The order in which `isSpelled(_:)` asks.
    enum Defect {
        case none
        /// As it was: whether the list is hidden was asked before whether the key path leads to it.
        case hiddenIsAskedFirst
    }

    /// A key path of an inherited property, or of one that depends on others, does not lead to the property's list.
    static func hidden(_ defect: Defect) -> Program {
        var memory = Memory()
        let list = SpellingTranscript(&memory, of: 1)
        let interventions = memory.atomic("list.interventions")
        func isHidden(_ t: ModelThread) throws -> Bool {
            try t.load(interventions, Self.isHidden) & (unexamined | overridden | dependsOnOthers) != 0
        }
        return Program(
            defect == .none ? "spelling: a hidden property" : "spelling: a hidden property, asked before the key path", memory,
            [
                introduction(list, interventions),
                (
                    "other registration",
                    [
                        { t in
                            let isSpelled =
                                defect == .none
                                ? try list.hasSpelling(t) && !isHidden(t)
                                : try !isHidden(t) && list.hasSpelling(t)
                            try t.check(!isSpelled, "a key path is taken for that of the property, which is hidden")
                        }
                    ]
                ),
            ])
    }

    /// The same by `isFirstSpelled(_:)`, which compares addresses.
    private static var hiddenFirst: Program {
        var memory = Memory()
        let list = SpellingTranscript(&memory, of: 1)
        let interventions = memory.atomic("list.interventions")
        return Program(
            "spelling: a hidden property, by the address", memory,
            [
                introduction(list, interventions),
                (
                    "other registration",
                    [
                        { t in
                            if try t.load(list.spelling, OnceTranscript.reference) != 1 { return }
                            let bits = try t.load(interventions, isHidden)
                            try t.check(
                                bits & (unexamined | overridden | dependsOnOthers) != 0,
                                "a key path is taken for that of the property, which is hidden")
                        }
                    ]
                ),
            ])
    }

    /// Who finds that a list has a key path finds what was noted before.
    private static var noted: Program {
        var memory = Memory()
        let list = SpellingTranscript(&memory, of: 1)
        let interventions = memory.atomic("list.interventions")
        return Program(
            "spelling: a setter and the first registration", memory,
            [
                introduction(list, interventions),
                (
                    "setter",
                    [
                        { t in
                            if try t.load(list.spelling, OnceTranscript.reference) == 0 { return }
                            let text = "a setter does not see how changes are announced"
                            try t.check(t.load(interventions, hasInterventions) != 0, text)
                            try t.check(t.load(interventions, readsGetter) & getter != 0, text)
                            try t.check(t.load(interventions, isByHandOnly) & byHand != 0, text)
                            try t.check(t.load(interventions, isDependent) & dependsOnOthers != 0, text)
                        }
                    ]
                ),
            ])
    }

    /// The result of looking at the getter is noted while other threads look, and note something else.
    private static var examined: Program {
        var memory = Memory()
        let interventions = memory.atomic("list.interventions", getter | unexamined)
        return Program(
            "spelling: a getter is examined by two threads", memory,
            [
                (
                    "one",
                    [
                        { t in
                            if try t.load(interventions, isUnexamined) & (unexamined | overridden) != unexamined { return }
                            try t.and(interventions, ~unexamined, noteStorage)
                        }
                    ]
                ),
                (
                    "other",
                    [
                        { t in
                            if try t.load(interventions, isOverridden) & overridden == 0 {
                                try t.or(interventions, overridden, noteOverride)
                            }
                        }
                    ]
                ),
            ]
        ) { t in
            let bits = try t.load(interventions, isOverridden)
            try t.check(bits & getter != 0 && bits & overridden != 0, "what was noted is lost")
        }
    }

    /// `noteOverriding()`, and `ObservationRecord.existingList(spelled:)`, which finds the list in the table under the lock.
    private static var overriding: Program {
        var memory = Memory()
        let lock = memory.lock("record.lock")
        let table = memory.plain("record.keyedLists")
        let interventions = memory.atomic("list.interventions")
        return Program(
            "lists: one of an overridden property", memory,
            [
                (
                    "registration",
                    [
                        { t in
                            try t.or(interventions, 1, noteOverriding)
                            try t.withLock(lock) { try t.write(table, 1) }
                        }
                    ]
                ),
                (
                    "search",
                    [
                        { t in
                            if try t.withLock(lock, { try t.read(table) }) == 0 { return }
                            try t.check(t.load(interventions, isOverriding) == 1, "a list is not known to be of an overridden property")
                        }
                    ]
                ),
            ])
    }

    /// A value that is read after the number of the last change is at least as new, whatever holds the value.
    private static func numbers(ofOneThread: Bool) -> Program {
        var memory = Memory()
        let value = memory.atomic("the program's value")
        let changes = memory.atomic("list.changes", 1)
        return Program(
            ofOneThread ? "changes: numbered by one thread" : "changes: numbered by two threads", memory,
            (1...(ofOneThread ? 1 : 2)).map { writer in
                (
                    "change \(writer)",
                    [
                        { t in
                            // An atomic word of the program's own, in its weakest order.
                            _ = try t.add(value, 1, Litmus.relaxed)
                            if ofOneThread {
                                let number = try t.load(changes, oneThreadLoad) + 1
                                try t.store(changes, number, oneThreadStore)
                            } else {
                                _ = try t.add(changes, 1, numberChange)
                            }
                        }
                    ]
                )
            } + [
                (
                    "registration",
                    [
                        { t in
                            let number = try t.load(changes, lastChange)
                            try t.check(t.load(value, Litmus.relaxed) >= number - 1, "the initial value is older than its number says")
                        }
                    ]
                )
            ])
    }
}
