/// The end of observations, and the release of what each of them keeps, its *hold*: who reports the end, and who lets go of the hold, where.
///
/// A hold need not be `Sendable`. So it is let go of in its *region*: in its home, an actor, or, without one, in a call of its handler or of the
/// controller. Whoever ends the observation elsewhere sends a job home, or leaves the hold to the set of the controller.
package struct EndTranscript {
    typealias Bits = InfoTranscript

    /// The callers that may call the handler and let go of the hold.
    enum Kind {
        /// Any thread.
        case free
        /// Only the thread that also uses the controller.
        case region
        /// Only the home, an actor.
        case home
        /// Any thread fills the buffer of a sequence; only the thread that also uses the controller lets go of the hold, which is not the handler.
        case buffered
        /// The same for a sequence that belongs to an actor.
        case bufferedAtHome
    }

    /// A step that the protocol leaves out.
    enum Defect: String, CaseIterable {
        case none = ""
        case leaveDoesNotUnlink = "a leave does not unlink"
        case setIsNotAsked = "the hold is moved without a look at the set"
        case countIsIgnored = "opened in a call"
        case stackIsIgnored = "opened at home in a call"
        case countDecidesAtHome = "the count decides at home"
        case countDecidesForBuffers = "the count decides for a buffer"
        case leaveDoesNotMove = "the last leave does not move the hold"
        case leaveIsInRegion = "whoever leaves opens"
        case oneBit = "one bit for the report and the release"
        case enderOpens = "whoever ends it opens"
        case isAddedLater = "the hold is added after the lock"
        case isForgottenFirst = "forgotten before the mark"
        case endTakesTwice = "the end takes the holds before the rest"
        case entryIsLeft = "a leave that opens leaves the entry in the set"
        case movedInCall = "the hold is moved in a call"
        case movedWhileHomeLives = "the hold is moved while the home lives"
        case reportedInCall = "reported in a call"
        case jobKeepsNothing = "the job does not keep the info"
        case turnIsIgnored = "the last value is taken from whoever has the turn"
        case passTakesNothing = "whoever passes the turn takes nothing"
        case homeOfPathIsIgnored = "the last value of another home is taken"
        case tokenAsksTheMark = "a token looks for the mark only"
        case markedIsPresent = "a marked entry counts as present"
    }

    // Those of the runtime are in no file of the project.
    static let retain = Site("", "", "retain", .relaxed)
    static let release = Site("", "", "release", .acquiringAndReleasing)
    static let weakLoad = Site("", "", "weak load", .relaxed)
    static let atEnd = Site("", "", "load at the end", .acquiring)

    /// An observation.
    struct Info {
        let bit: Int
        let memory: Memory.Object
        let state: Memory.Atomic
        let references: Memory.Atomic
        let handler: Memory.Plain
        let hold: Memory.Plain
        /// The hold, once it is in the set.
        let moved: Memory.Plain
        let isInSet: Memory.Plain
        let isLinked: Memory.Plain
        /// The work of the handler, which the report knows.
        let heard: Memory.Plain
        let running: Memory.Ghost
        let calls: Memory.Ghost
        let counted: Memory.Ghost
        let reports: Memory.Ghost
        let opens: Memory.Ghost
    }

    /// The thread that runs a function, as the function sees it.
    struct Place {
        /// `true` if the thread runs in the region: on the actor, if there is one.
        var isHome: Bool
        /// `true` if it runs the end of the controller.
        var isEndOfController = false
        /// The infos whose handlers are running on this stack, by their bits.
        var running = 0
    }

    static let home = Place(isHome: true)
    static let elsewhere = Place(isHome: false)

    /// The place where the hold may be let go of.
    enum Gate { case here(isHome: Bool), home, owner }

    let kind: Kind
    let defect: Defect
    let infos: [Info]
    let region: Memory.Plain
    /// The controller's lock and the holds in its set, by the bits of their infos.
    let core: Memory.Lock
    let holds: Memory.Plain
    let isEnded: Memory.Ghost
    /// The record's lock and, if deliveries pin the record, what they use.
    let record: Memory.Lock
    let pins: PinTranscript?
    let head: Memory.Atomic?
    /// The memory of the record and of the controller, which infos retain.
    let kept: (record: Memory.Object, owner: Memory.Object)?
    let keepers: (record: Memory.Atomic, owner: Memory.Atomic)?
    /// The references to the actor; without them, its `deinit` has begun.
    let actor: Memory.Atomic?
    let ownsController: Bool
    /// `true` if `onTermination` opens the lock of the job, for which a thread waits.
    let signalsEnd: Bool
    let jobs: Memory.Ghost
    let job: Memory.Lock
    let path: Path?

    init(_ memory: inout Memory, _ setting: Setting, _ defect: Defect) {
        self.defect = defect
        kind = setting.kind
        infos = (1...setting.infos).map { number in
            Info(&memory, number, of: setting)
        }
        region = memory.plain("what the region owns")
        core = memory.lock("controller.lock")
        holds = memory.plain("the holds in the set")
        isEnded = memory.ghost()
        pins = setting.isPinned ? PinTranscript(&memory) : nil
        record = pins?.lock ?? memory.lock("record.lock")
        head = setting.isPinned ? memory.atomic("chain.head", 1) : nil
        let objects = setting.keepsMemory ? (memory.object("the record"), memory.object("the owner")) : nil
        kept = objects
        keepers = objects.map { record, owner in
            (
                memory.atomic("the record's references", setting.infos + 1, of: record),
                memory.atomic("the owner's references", setting.infos + (setting.hasController ? 1 : 0), of: owner)
            )
        }
        actor = setting.hasActor ? memory.atomic("the actor's references", 1) : nil
        ownsController = setting.actorOwnsController
        signalsEnd = setting.signalsEnd
        jobs = memory.ghost()
        job = memory.lock("the job", isHeld: true)
        path = setting.hasPath ? Path(&memory, observers: setting.infos) : nil
    }

    var isBuffered: Bool { kind == .buffered || kind == .bufferedAtHome }

    // MARK: Memory

    func retain(_ t: ModelThread, _ info: Info) throws { _ = try t.add(info.references, 1, Self.retain) }

    /// Gives a reference back; the last one runs `deinit`.
    func release(_ t: ModelThread, _ info: Info) throws {
        if try t.add(info.references, -1, Self.release) > 1 { return }
        try t.check(t.read(info.hold) == 0, "an info goes with its hold")
        try t.write(info.handler, 0)
        try t.free(info.memory)
        try releaseRecord(t)
        try releaseOwner(t)
    }

    func releaseRecord(_ t: ModelThread) throws {
        guard let keepers, let kept else { return }
        if try t.add(keepers.record, -1, Self.release) == 1 { try t.free(kept.record) }
    }

    func releaseOwner(_ t: ModelThread) throws {
        guard let keepers, let kept else { return }
        if try t.add(keepers.owner, -1, Self.release) > 1 { return }
        try t.check(t.read(holds) == 0, "a controller goes with the holds in its set")
        try t.free(kept.owner)
    }

    func touchRecord(_ t: ModelThread) throws { if let kept { try t.touch(kept.record) } }
    func touchOwner(_ t: ModelThread) throws { if let kept { try t.touch(kept.owner) } }

    // MARK: Calls

    /// `forward(_:to:box:)`.
    func forward(_ t: ModelThread, _ info: Info, _ place: Place, handler: ((Place) throws -> Void)? = nil) throws {
        let bits = try t.add(info.state, Bits.call + Bits.delivery, InfoTranscript.enter)
        try t.touch(info.memory)
        guard bits & Bits.removed == 0, place.isHome || kind == .free || isBuffered else { return try leaveWithoutCall(t, info, place) }
        try t.check(t.ghost(info.reports) == 0, "a call starts after the end was reported")
        try t.addGhost(info.running)
        try t.check(t.read(info.handler) == 1, "a handler is called that was let go of")
        if kind == .region || kind == .home { try t.write(region, 1) }
        if !isBuffered { try t.check(t.read(info.hold) == 1, "a handler is called whose hold was let go of") }
        try t.write(info.heard, 1)
        try handler?(Place(isHome: place.isHome, running: place.running | info.bit))
        try t.check(t.read(info.handler) == 1, "a handler is let go of while it runs")
        try t.addGhost(info.running, -1)
        try t.addGhost(info.calls)
        let after = try t.add(info.state, -Bits.call, InfoTranscript.leave) - Bits.call
        if after & Bits.removed != 0 { try leaveRemoved(t, info, place) }
    }

    private func leaveWithoutCall(_ t: ModelThread, _ info: Info, _ place: Place) throws {
        let uncounted = Bits.call + Bits.delivery
        let after = try t.add(info.state, -uncounted, InfoTranscript.leaveAsking) - uncounted
        if after & Bits.removed != 0 { try leaveRemoved(t, info, place) }
    }

    // MARK: The end

    /// Replaces the state, and returns that before; nil if there is nothing to do.
    func changeState(_ t: ModelThread, _ info: Info, _ change: (Int) -> Int?) throws -> Int? {
        var current = try t.load(info.state, InfoTranscript.changeLoad)
        while let changed = change(current) {
            let (exchanged, original) = try t.compareExchange(
                info.state, expected: current, desired: changed, InfoTranscript.changeExchange)
            if exchanged { return current }
            current = original
        }
        return nil
    }

    func markRemoved(_ t: ModelThread, _ info: Info) throws -> Bool {
        try changeState(t, info) { $0 & Bits.removed != 0 ? nil : $0 | Bits.removed } != nil
    }

    /// - Parameters:
    ///   - t: The thread.
    ///   - place: Where it is.
    ///   - isInRegion: Whether it runs a call of the handler or of the controller.
    /// - Returns: who may let go; a home that was found is retained.
    private func gate(_ t: ModelThread, _ place: Place, isInRegion: Bool) throws -> Gate {
        switch kind {
        case .free: return .here(isHome: false)
        case .region, .buffered: return isInRegion ? .here(isHome: false) : .owner
        case .home, .bufferedAtHome:
            if place.isHome { return .here(isHome: true) }
            if defect != .movedWhileHomeLives, try retainActor(t) { return .home }
            return isInRegion ? .here(isHome: true) : .owner
        }
    }

    /// `end(for:)`, by whoever holds the info.
    func end(_ t: ModelThread, _ info: Info, _ place: Place) throws {
        var gate = try gate(t, place, isInRegion: false)
        if defect == .enderOpens { gate = .here(isHome: kind == .home) }
        let isFirst: Bool
        if case .owner = gate {
            if defect == .isForgottenFirst { try drop(t, info) }
            isFirst = try markRemoved(t, info)
        } else {
            isFirst = try forget(t, info)
        }
        if isFirst { return try finishEnd(t, info, place, gate) }
        if case .home = gate { try releaseActor(t) }
    }

    /// The end of the call of a controller that has marked the info and taken it out of the set.
    func finishRemoval(_ t: ModelThread, _ info: Info, _ place: Place) throws {
        try finishEnd(t, info, place, gate(t, place, isInRegion: true))
    }

    /// The job that an end elsewhere has sent home.
    func finishAtHome(_ t: ModelThread, _ info: Info, _ place: Place) throws {
        try finishEnd(t, info, place, gate(t, place, isInRegion: false))
    }

    private func leaveRemoved(_ t: ModelThread, _ info: Info, _ place: Place) throws {
        let gate = try gate(t, place, isInRegion: kind == .region || defect == .leaveIsInRegion)
        switch gate {
        case .home:
            try reportIfLast(t, info)
            try releaseActor(t)
        case .owner where defect == .leaveDoesNotMove: try reportIfLast(t, info)
        case .here, .owner: try finishEnd(t, info, place, gate, isLeaving: true)
        }
    }

    private func finishEnd(_ t: ModelThread, _ info: Info, _ place: Place, _ gate: Gate, isLeaving: Bool = false) throws {
        if !isLeaving || defect != .leaveDoesNotUnlink { try unlink(t, info) }
        switch gate {
        case .here(let isHome):
            let before = try changeState(t, info) { bits in
                if bits & Bits.opened != 0 || !mayOpen(bits, info, place, isHome) { return nil }
                return bits | Bits.opened | (Bits.hasCalls(bits) ? 0 : Bits.reported)
            }
            guard let before else { return try reportIfLast(t, info) }
            if isLeaving, defect != .entryIsLeft { try drop(t, info) }
            if !Bits.hasCalls(before), before & Bits.reported == 0 { try report(t, info, before) }
            try letGo(t, info, place)
        case .home:
            try reportIfLast(t, info)
            try send(t, info)
        case .owner:
            try reportIfLast(t, info)
            try keepHold(t, info)
        }
    }

    private func mayOpen(_ bits: Int, _ info: Info, _ place: Place, _ isHome: Bool) -> Bool {
        if !Bits.hasCalls(bits) || defect == .countIsIgnored { return true }
        if isBuffered { return defect != .countDecidesForBuffers }
        if !isHome || defect == .countDecidesAtHome { return false }
        return place.running & info.bit == 0 || defect == .stackIsIgnored
    }

    private func reportIfLast(_ t: ModelThread, _ info: Info) throws {
        let before = try changeState(t, info) { bits in
            if bits & Bits.reported != 0 || Bits.hasCalls(bits) && defect != .reportedInCall { return nil }
            return bits | Bits.reported | (defect == .oneBit ? Bits.opened : 0)
        }
        if let before { try report(t, info, before) }
    }

    private func report(_ t: ModelThread, _ info: Info, _ ended: Int) throws {
        try t.check(t.ghost(info.running) == 0, "an end is reported while a call runs")
        try t.check(t.ghost(info.reports) == 0, "an end is reported twice")
        try t.addGhost(info.reports)
        _ = try t.read(info.heard)
        try t.setGhost(info.counted, ended / Bits.delivery)
        try touchOwner(t)
        if signalsEnd { try t.unlock(job) }
    }

    /// Lets go of a hold that is still in its info, and of the path's last value.
    private func letGo(_ t: ModelThread, _ info: Info, _ place: Place) throws {
        try checkRight(t, place)
        try t.check(isBuffered || t.ghost(info.running) == 0, "a hold is let go of while its handler runs")
        if kind != .free { try t.write(region, 2) }
        if !isBuffered { try t.write(info.handler, 0) }
        try t.write(info.hold, 0)
        try t.addGhost(info.opens)
        if try takeUnwanted(t) { try t.write(region, 3) }
    }

    /// Checks that the thread may let go: it is in the region, or ends the controller while no home lives.
    func checkRight(_ t: ModelThread, _ place: Place) throws {
        if kind == .free || place.isHome { return }
        let lives = try actor.map { try t.load($0, Self.atEnd) > 0 } ?? false
        try t.check(place.isEndOfController && !lives, "a hold is let go of elsewhere")
    }

    /// `unlink(_:)` of the list.
    private func unlink(_ t: ModelThread, _ info: Info) throws {
        try touchRecord(t)
        let isFree = try t.withLock(record) {
            if try t.read(info.isLinked) == 0 { return false }
            try t.write(info.isLinked, 0)
            try noteUnlinking(t)
            guard let pins, let head else { return true }
            try t.store(head, 0, ChainTranscript.removeHead)
            return try pins.retire(t, info.bit) != 0
        }
        if isFree { try release(t, info) }
    }
}

extension EndTranscript.Info {
    init(_ memory: inout Memory, _ number: Int, of setting: EndTranscript.Setting) {
        let name = setting.infos == 1 ? "the info" : "info \(number)"
        let isThere = number <= setting.infos - setting.unregistered
        bit = 1 << number
        self.memory = memory.object(name)
        state = memory.atomic("\(name).state", of: self.memory)
        references = memory.atomic("\(name).references", isThere ? 2 + setting.holders[number - 1] : 1, of: self.memory)
        handler = memory.plain("the handler of \(name)", 1, of: self.memory)
        hold = memory.plain("the hold of \(name)", 1, of: self.memory)
        moved = memory.plain("the hold of \(name) in the set")
        isInSet = memory.plain("whether \(name) is in the set", isThere ? 1 : 0)
        isLinked = memory.plain("whether \(name) is linked", isThere ? 1 : 0)
        heard = memory.plain("what the handler of \(name) has done")
        running = memory.ghost()
        calls = memory.ghost()
        counted = memory.ghost(-1)
        reports = memory.ghost()
        opens = memory.ghost()
    }
}
