/// `RegistrationChain`, with `ObserverList.link(_:inPlaceOf:)`, `unlink(_:)` and the walks of `ObserverList+Delivery`.
package struct ChainTranscript {
    static let file = "Delivery/ObserverList/RegistrationChain.swift"
    static let isEmpty = Site(file, "isEmpty", "load", .acquiring)
    static let appendTail = Site(file, "append", "load", .relaxed)
    static let insertNext = Site(file, "insert", "load", .relaxed)
    static let insertHead = Site(file, "insert", "load", .relaxed)
    static let insertOwn = Site(file, "insert", "store", .relaxed)
    static let insertTail = Site(file, "insert", "store", .relaxed)
    static let publishNext = Site(file, "insert", "store", .releasing)
    static let publishHead = Site(file, "insert", "store", .releasing)
    static let removeOwn = Site(file, "remove", "load", .relaxed)
    static let removeNext = Site(file, "remove", "store", .releasing)
    static let removeHead = Site(file, "remove", "store", .releasing)
    static let removeTail = Site(file, "remove", "store", .relaxed)
    static let walkHead = Site(file, "first", "load", .acquiring)
    static let walkNext = Site(file, "following", "load", .acquiring)
    static let sites = [
        isEmpty, appendTail, insertNext, insertHead, insertOwn, insertTail, publishNext, publishHead, removeOwn, removeNext, removeHead,
        removeTail, walkHead, walkNext,
    ]

    /// What of an info the chain uses; the number of an info is its address.
    struct Info {
        let object: Memory.Object
        let next: Memory.Atomic
        let previous: Memory.Plain
        let linkedAt: Memory.Atomic
        let order: Memory.Plain?
        /// Whatever else is written before the info is linked.
        let contents: Memory.Plain
    }

    let pins: PinTranscript
    let head: Memory.Atomic
    let tail: Memory.Atomic
    private let infos: [Info]
    /// The record's, if the program is about serial numbers.
    let serial: Memory.Atomic?

    /// Declares a chain.
    ///
    /// - Parameters:
    ///   - memory: The memory.
    ///   - linked: How many infos hang in it, the first by number.
    ///   - count: How many infos there are.
    ///   - hasSerial: Whether infos are numbered.
    ///   - pins: The pins of the record.
    init(_ memory: inout Memory, linked: Int, of count: Int, hasSerial: Bool = false, _ pins: PinTranscript) {
        self.pins = pins
        head = memory.atomic("chain.head", linked > 0 ? 1 : 0)
        tail = memory.atomic("chain.tail", linked)
        serial = hasSerial ? memory.atomic("record.serial", linked) : nil
        infos = (1...count).map { number in
            let object = memory.object("info \(number)")
            return Info(
                object: object, next: memory.atomic("info \(number).next", number < linked ? number + 1 : 0, of: object),
                previous: memory.plain("info \(number).previous", number <= linked ? number - 1 : 0, of: object),
                linkedAt: memory.atomic("info \(number).linkedAt", number <= linked ? number : 0, of: object),
                order: hasSerial ? memory.plain("info \(number).order", number <= linked ? number : 0, of: object) : nil,
                contents: memory.plain("the contents of info \(number)", number <= linked ? 1 : 0, of: object))
        }
    }

    func info(_ word: Int) -> Info { infos[word - 1] }

    /// Releases what the chain and the limbo have given up.
    func release(_ t: ModelThread, _ set: Int) throws {
        for word in 1...infos.count where set & 1 << word != 0 { try t.free(info(word).object) }
    }

    // MARK: RegistrationChain

    func isEmpty(_ t: ModelThread) throws -> Bool { try t.load(head, Self.isEmpty) == 0 }

    private func append(_ t: ModelThread, _ word: Int) throws { try insert(t, word, after: t.load(tail, Self.appendTail)) }

    private func insert(_ t: ModelThread, _ word: Int, after place: Int) throws {
        let info = info(word)
        let following = place != 0 ? try t.load(self.info(place).next, Self.insertNext) : try t.load(head, Self.insertHead)
        try t.write(info.previous, place)
        try t.store(info.next, following, Self.insertOwn)
        if following != 0 { try t.write(self.info(following).previous, word) } else { try t.store(tail, word, Self.insertTail) }
        if place != 0 { try t.store(self.info(place).next, word, Self.publishNext) } else { try t.store(head, word, Self.publishHead) }
    }

    private func remove(_ t: ModelThread, _ word: Int) throws {
        let following = try t.load(info(word).next, Self.removeOwn)
        let before = try t.read(info(word).previous)
        if before != 0 { try t.store(info(before).next, following, Self.removeNext) } else { try t.store(head, following, Self.removeHead) }
        if following != 0 { try t.write(info(following).previous, before) } else { try t.store(tail, before, Self.removeTail) }
    }

    /// Passes every info along that is linked.
    func forEach(_ t: ModelThread, _ body: (Int) throws -> Void) throws {
        var word = try t.load(head, Self.walkHead)
        while word != 0 {
            try body(word)
            word = try t.load(info(word).next, Self.walkNext)
        }
    }

    // MARK: ObserverList

    /// `link(_:inPlaceOf:)`, of an info that this thread has just made.
    func link(_ t: ModelThread, _ word: Int, inPlaceOf replaced: Int? = nil) throws {
        try t.write(info(word).contents, 1)
        try t.withLock(pins.lock) {
            if try t.load(info(word).linkedAt, InfoTranscript.isLinked) != 0 { return }
            try noteLinking(t, word)
            if let replaced, try t.load(info(replaced).linkedAt, InfoTranscript.isLinked) != 0 {
                if let order = info(word).order, let other = info(replaced).order {
                    try t.write(order, t.read(other))
                }
                try insert(t, word, after: replaced)
            } else {
                try append(t, word)
            }
        }
    }

    private func noteLinking(_ t: ModelThread, _ word: Int) throws {
        var number = word
        if let serial {
            number = try t.load(serial, RecordTranscript.serialLoad) + 1
            try t.store(serial, number, RecordTranscript.serialStore)
        }
        if let order = info(word).order { try t.write(order, number) }
        try t.store(info(word).linkedAt, number, RecordTranscript.linkedStore)
    }

    /// `unlink(_:)`.
    func unlink(_ t: ModelThread, _ word: Int) throws {
        let reclaimed = try t.withLock(pins.lock) { () -> Int in
            guard try t.load(info(word).linkedAt, InfoTranscript.isLinked) != 0 else { return 0 }
            try t.store(info(word).linkedAt, 0, RecordTranscript.unlinkedStore)
            try remove(t, word)
            return try pins.retire(t, word)
        }
        try release(t, reclaimed)
    }

    /// A delivery to everybody who is linked; `body` is a call.
    func deliver(_ t: ModelThread, _ body: (Int) throws -> Void) throws {
        let unit = try pins.pin(t)
        try forEach(t, body)
        try release(t, pins.unpin(t, unit))
    }

    // MARK: The end

    /// Checks that infos hang in the chain in one of these orders, from both ends, and that all others are released.
    func checkOver(_ t: ModelThread, _ expected: [[Int]]) throws {
        try pins.checkOver(t)
        var there: [Int] = []
        var before = 0
        var word = try t.load(head, Self.walkHead)
        while word != 0 {
            try t.check(!there.contains(word), "the chain is a ring")
            there.append(word)
            try t.check(t.read(info(word).previous) == before, "a link back is wrong")
            before = word
            word = try t.load(info(word).next, Self.walkNext)
        }
        try t.check(expected.contains(there), "an info is lost, or was not taken out: \(there) hang there")
        try t.check(t.load(tail, Self.appendTail) == before, "the tail is wrong")
        for word in 1...infos.count where !there.contains(word) {
            try t.check(t.isFreed(info(word).object), "info \(word) is never released")
        }
    }
}
