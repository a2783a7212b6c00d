/// What an `ObservationRecord` counts and numbers: serial numbers and lists; and the list of the whole object.
package enum RecordTranscript {
    static let file = "Delivery/ObserverList/ObservationRecord.swift"
    static let listCount = Site(file, "listCount", "load", .relaxed)
    static let countList = Site(file, "countList", "wrappingAdd", .relaxed)
    private static let unretained = """
        A hint by which a delivery does not retain the object. It is asked before the observers are found, so that one may register in between under \
        any order.
        """
    static let unretainedAdd = Site(file, "noteLinking", "wrappingAdd", .relaxed, untranscribed: unretained)
    static let serialLoad = Site(file, "nextSerial", "load", .relaxed)
    static let serialStore = Site(file, "noteLinking", "store", .releasing)
    static let linkedStore = Site(file, "noteLinking", "store", .relaxed)
    static let unlinkedStore = Site(file, "noteUnlinking", "store", .relaxed)
    static let unretainedSubtract = Site(file, "noteUnlinking", "wrappingSubtract", .relaxed, untranscribed: unretained)
    static let mayDie = Site(file, "mayDieObserved", "load", .relaxed, untranscribed: unretained)
    static let currentSerial = Site(file, "currentSerial", "load", .acquiring)

    static let sites: [Site] = [
        listCount, countList, unretainedAdd, serialLoad, serialStore, linkedStore, unlinkedStore, unretainedSubtract, mayDie, currentSerial,
    ]

    // MARK: The whole object

    /// Somebody observes the whole object and reads an atomic property, which another thread writes: the new value is read, or the change is told.
    ///
    /// The lock of the value orders the look for the list after the write, so that no fence is needed.
    static var entireProgram: Program {
        var memory = Memory()
        let list = memory.atomic("record.entire")
        let contents = memory.plain("the list of the whole object")
        let chain = ChainTranscript(&memory, linked: 0, of: 1, hasSerial: true, PinTranscript(&memory))
        let cell = memory.lock("cell.lock")
        let value = memory.plain("the value")
        let known = memory.ghost()
        let whole: Program.Thread = (
            "observer of the whole",
            [
                { t in
                    try t.write(contents, 1)
                    try t.check(t.compareExchange(list, expected: 0, desired: 1, OnceTranscript.store).exchanged, "the place is taken")
                    try chain.link(t, 1)
                    if try t.withLock(cell, { try t.read(value) }) == 1 { try t.setGhost(known, 1) }
                }
            ]
        )
        let change: Program.Thread = (
            "change of a property",
            [
                { t in
                    try t.withLock(cell) { try t.write(value, 1) }
                    if try t.load(list, OnceTranscript.reference) == 0 { return }
                    try t.check(t.read(contents) == 1, "a list is used before it is made")
                    if try chain.isEmpty(t) { return }
                    try chain.deliver(t) { _ in try t.setGhost(known, 1) }
                }
            ]
        )
        return Program("whole: an observer of the object and a change", memory, [whole, change]) { t in
            try t.check(t.ghost(known) == 1, "an observer of the whole object has the old value, and is never notified of the new one")
        }
    }

    /// Lists are counted while a manual notification compares their number.
    static var countProgram: Program {
        var memory = Memory()
        let lists = memory.atomic("record.lists")
        let maker: Program.Thread = ("maker of a list", [{ t in _ = try t.add(lists, 1, countList) }])
        let announcement: Program.Thread = (
            "manual notification",
            [
                { t in
                    let before = try t.load(lists, listCount)
                    try t.check(t.load(lists, listCount) >= before, "the number of lists goes down")
                }
            ]
        )
        return Program("lists: they are counted", memory, [maker, announcement])
    }

    // MARK: Serial numbers

    /// An observer registers and reads the value; another thread writes it and notifies.
    ///
    /// The value is under a lock of its own.
    static func registration(settledBefore: Bool) -> Program {
        var memory = Memory()
        let chain = ChainTranscript(&memory, linked: 0, of: 1, hasSerial: true, PinTranscript(&memory))
        let cell = memory.lock("cell.lock")
        let value = memory.plain("the value")
        let known = memory.ghost()
        return Program(
            settledBefore ? "late: who is notified is settled before the write" : "late: registration and change", memory,
            [
                (
                    "registration",
                    [
                        { t in
                            try chain.link(t, 1)
                            if try t.withLock(cell, { try t.read(value) }) == 1 { try t.setGhost(known, 1) }
                        }
                    ]
                ),
                (
                    "change",
                    [
                        { t in
                            guard let serial = chain.serial else { return }
                            var limit = settledBefore ? try t.load(serial, currentSerial) : 0
                            try t.withLock(cell) { try t.write(value, 1) }
                            let unit = try chain.pins.pin(t)
                            if !settledBefore { limit = try t.load(serial, currentSerial) }
                            let present = settledBefore ? limit : try t.load(serial, currentSerial)
                            try chain.forEach(t) { word in
                                if try t.load(chain.info(word).linkedAt, InfoTranscript.isLinkedAfter) > limit, present == limit { return }
                                try t.check(t.read(chain.info(word).contents) == 1, "an info is called before it is made")
                                try t.setGhost(known, 1)
                            }
                            try chain.release(t, chain.pins.unpin(t, unit))
                        }
                    ]
                ),
            ]
        ) { t in try t.check(t.ghost(known) == 1, "an observer has the old value, and is never notified of the new one") }
    }

    /// Numbers are read while one info takes the place of another.
    static var numberPrograms: [Program] {
        var memory = Memory()
        let replaced = ChainTranscript(&memory, linked: 1, of: 2, hasSerial: true, PinTranscript(&memory))
        return [
            Program(
                "numbers: an info takes the place of another", memory,
                [
                    (
                        "delivery",
                        [
                            { t in
                                try replaced.deliver(t) { word in
                                    guard let order = replaced.info(word).order else { return }
                                    try t.check(t.read(order) == 1, "the new info has another place than the one that it replaces")
                                    let number = try t.load(replaced.info(word).linkedAt, InfoTranscript.isLinkedAfter)
                                    try t.check([0, 1, 2].contains(number), "a number is read that no info had")
                                }
                            }
                        ]
                    ),
                    (
                        "replacement",
                        [
                            { t in
                                try replaced.link(t, 2, inPlaceOf: 1)
                                try replaced.unlink(t, 1)
                            }
                        ]
                    ),
                ])
        ]
    }
}
