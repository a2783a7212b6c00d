/// `EpochPins`, `EpochLimbo`, and what `ObservationRecord` does with them.
package struct PinTranscript {
    static let file = "Delivery/ObserverList/RegistrationChain.swift"
    static let present = Site(file, "present", "wrappingAdd", .acquiringAndReleasing)
    static let pinLoad = Site(file, "pin", "load", .relaxed)
    static let pinExchange = Site(file, "pin", "weakCompareExchange", .acquiring)
    static let unpin = Site(file, "unpin", "wrappingSubtract", .acquiringAndReleasing)
    static let retireWaits = Site(file, "retire", "bitwiseOr", .acquiringAndReleasing)
    static let collectLoad = Site(file, "collect", "load", .acquiring)
    static let collectEpoch = Site(file, "collect", "bitwiseXor", .acquiringAndReleasing)
    static let collectWaits = Site(file, "collect", "bitwiseAnd", .acquiringAndReleasing)
    static let sites = [present, pinLoad, pinExchange, unpin, retireWaits, collectLoad, collectEpoch, collectWaits]

    static let units = (1, 1 << 31)
    static let countMask = (1 << 31) - 1
    static let epoch = 1 << 62
    static let waits = Int.min

    static func unit(of word: Int) -> Int { word & epoch == 0 ? units.0 : units.1 }
    static func isDrained(_ word: Int, _ unit: Int) -> Bool { word & (countMask &* unit) == 0 }
    static func isIdle(_ word: Int) -> Bool { isDrained(word, units.0) && isDrained(word, units.1) }

    /// Whether there is a defect in the transcript: `present` as a load.
    enum Defect {
        case none
        /// `retire(_:_:)` looks at the pins with a load instead of a read-modify-write.
        case presentIsLoaded
        /// `retire(_:_:)` does not collect after it has said that something waits.
        case retireDoesNotCollect
    }

    let word: Memory.Atomic
    let lock: Memory.Lock
    /// The sets of what waits, one bit an object, by the epoch in which it was retired.
    let limbo: (Memory.Plain, Memory.Plain)
    let defect: Defect

    init(_ memory: inout Memory, defect: Defect = .none) {
        word = memory.atomic("pins.word")
        lock = memory.lock("record.lock")
        limbo = (memory.plain("limbo.0"), memory.plain("limbo.1"))
        self.defect = defect
    }

    // MARK: EpochPins

    private func present(_ t: ModelThread) throws -> Int {
        if defect == .presentIsLoaded { return try t.load(word, Self.collectLoad) }
        return try t.add(word, 0, Self.present)
    }

    func pin(_ t: ModelThread) throws -> Int {
        var current = try t.load(word, Self.pinLoad)
        while true {
            let unit = Self.unit(of: current)
            let (exchanged, original) = try t.compareExchange(word, expected: current, desired: current &+ unit, Self.pinExchange)
            if exchanged { return unit }
            current = original
        }
    }

    private func unpinAsking(_ t: ModelThread, _ unit: Int) throws -> Bool {
        let after = try t.add(word, -unit, Self.unpin) &- unit
        return after & Self.waits != 0 && Self.isDrained(after, unit)
    }

    // MARK: EpochLimbo, under the lock: what they return may be released

    /// `ObservationRecord.retireLocked(_:)`, and `retire(_:_:)`, which it calls if something is pinned.
    func retire(_ t: ModelThread, _ object: Int) throws -> Int {
        let current = try present(t)
        if Self.isIdle(current) { return 1 << object }
        let limbo = current & Self.epoch == 0 ? limbo.0 : limbo.1
        try t.write(limbo, t.read(limbo) | 1 << object)
        try t.or(word, Self.waits, Self.retireWaits)
        return defect == .retireDoesNotCollect ? 0 : try collect(t)
    }

    private func collect(_ t: ModelThread) throws -> Int {
        var free = 0
        for _ in 0..<2 {
            let current = try t.load(word, Self.collectLoad)
            if current & Self.epoch == 0 {
                guard Self.isDrained(current, Self.units.1) else { break }
                free |= try t.read(limbo.1)
                try t.write(limbo.1, 0)
                if try t.read(limbo.0) == 0 { break }
            } else {
                guard Self.isDrained(current, Self.units.0) else { break }
                free |= try t.read(limbo.0)
                try t.write(limbo.0, 0)
                if try t.read(limbo.1) == 0 { break }
            }
            try t.xor(word, Self.epoch, Self.collectEpoch)
        }
        if try t.read(limbo.0) == 0, try t.read(limbo.1) == 0 { try t.and(word, ~Self.waits, Self.collectWaits) }
        return free
    }

    // MARK: ObservationRecord

    /// `unpin(_:)`: what may be released then.
    func unpin(_ t: ModelThread, _ unit: Int) throws -> Int {
        try unpinAsking(t, unit) ? t.withLock(lock) { try collect(t) } : 0
    }

    /// What must hold when no delivery is under way any more.
    func checkOver(_ t: ModelThread) throws {
        let word = try t.load(word, Self.collectLoad)
        try t.check(Self.isIdle(word), "a pin is left")
        try t.check(word & Self.waits == 0, "nothing is pinned, and something waits")
        try t.check(t.read(limbo.0) | t.read(limbo.1) == 0, "nothing is pinned, and something is kept")
    }
}
