/// The set of the controller, in which an observation leaves its entry, or its hold, if it ends elsewhere.
extension EndTranscript {
    private func withObservations<Result>(_ t: ModelThread, _ body: () throws -> Result) throws -> Result {
        try touchOwner(t)
        return try t.withLock(core, body)
    }

    /// `forget(_:for:)`.
    func forget(_ t: ModelThread, _ info: Info) throws -> Bool {
        let (isFirst, wasIn) = try withObservations(t) {
            let isFirst = try markRemoved(t, info)
            return try (isFirst, isFirst && takeOut(t, info))
        }
        if wasIn { try release(t, info) }
        return isFirst
    }

    /// `drop(_:)`.
    func drop(_ t: ModelThread, _ info: Info) throws {
        if try withObservations(t, { try takeOut(t, info) }) { try release(t, info) }
    }

    private func takeOut(_ t: ModelThread, _ info: Info) throws -> Bool {
        if try t.read(info.isInSet) == 0 { return false }
        try t.write(info.isInSet, 0)
        return true
    }

    /// `keepHold(of:)`, with `replaceByHold(_:)` of the set and `takeHold()` of the info.
    func keepHold(_ t: ModelThread, _ info: Info) throws {
        var late = 0
        let wasIn = try withObservations(t) {
            if defect != .setIsNotAsked, try t.read(info.isInSet) == 0 { return false }
            let before = try changeState(t, info) { bits in
                if bits & Bits.opened != 0 || Bits.hasCalls(bits) && !isBuffered && defect != .movedInCall { return nil }
                return bits | Bits.opened
            }
            if before == nil { return false }
            try t.check(isBuffered || t.ghost(info.running) == 0, "a hold is moved while its handler runs")
            try t.check(t.read(info.hold) == 1, "a hold is moved that was let go of")
            if !isBuffered { try t.write(info.handler, 0) }
            try t.write(info.hold, 0)
            try t.write(info.moved, 1)
            let last = try takeUnwanted(t) ? Path.bit : 0
            if defect == .isAddedLater { late = info.bit | last } else { try add(t, info.bit | last) }
            return try takeOut(t, info)
        }
        if late != 0 { try withObservations(t) { try add(t, late) } }
        if wasIn { try release(t, info) }
    }

    private func add(_ t: ModelThread, _ bits: Int) throws {
        try t.check(t.ghost(isEnded) == 0, "a hold is added after the end of the controller")
        try t.write(holds, t.read(holds) | bits)
    }

    private func takeHolds(_ t: ModelThread) throws -> Int {
        let bits = try t.read(holds)
        if bits != 0 { try t.write(holds, 0) }
        return bits
    }

    /// `letGo()` of the holds that were in the set.
    private func letGo(_ t: ModelThread, _ bits: Int, _ place: Place) throws {
        for info in infos where bits & info.bit != 0 {
            try checkRight(t, place)
            try t.write(region, 2)
            try t.check(t.read(info.moved) == 1, "a hold is let go of twice")
            try t.write(info.moved, 0)
            try t.addGhost(info.opens)
        }
        if bits & Path.bit != 0 { try t.write(region, 3) }
    }

    /// `remove(list:tag:)`, by a call of the controller.
    func remove(_ t: ModelThread, _ info: Info, _ place: Place) throws {
        let (bits, wasIn) = try withObservations(t) {
            let bits = try takeHolds(t)
            let wasIn = try takeOut(t, info)
            if wasIn { _ = try markRemoved(t, info) }
            return (bits, wasIn)
        }
        try letGo(t, bits, place)
        if !wasIn { return }
        try finishRemoval(t, info, place)
        try release(t, info)
    }

    /// The end of a token, whose controller only the info retains.
    func endToken(_ t: ModelThread, _ info: Info, _ place: Place) throws {
        if defect != .tokenAsksTheMark {
            try remove(t, info, place)
        } else if try forget(t, info) {
            try finishRemoval(t, info, place)
        }
        try release(t, info)
    }

    /// `removeAll(for:)`, by the end of the controller.
    func endController(_ t: ModelThread, _ place: Place) throws {
        var place = place
        place.isEndOfController = true
        var bits = defect == .endTakesTwice ? try withObservations(t) { try takeHolds(t) } : 0
        let taken = try withObservations(t) {
            if defect != .endTakesTwice { bits = try takeHolds(t) }
            try t.setGhost(isEnded, 1)
            return try infos.filter { info in
                guard try t.read(info.isInSet) != 0 else { return false }
                _ = try markRemoved(t, info)
                return try takeOut(t, info)
            }
        }
        try letGo(t, bits, place)
        for info in taken {
            try finishRemoval(t, info, place)
            try release(t, info)
        }
        try releaseOwner(t)
    }

    /// `register`, of an info that this thread has just made, where another one may be registered; returns `false` if it is ignored.
    @discardableResult
    func register(_ t: ModelThread, _ info: Info, over present: Info, _ place: Place) throws -> Bool {
        var ended: Info?
        let (bits, isIgnored) = try withObservations(t) {
            let bits = try takeHolds(t)
            if try t.read(present.isInSet) != 0 {
                let isOver = try t.load(present.state, InfoTranscript.isOver) & Bits.removed != 0
                if !isOver || defect == .markedIsPresent { return (bits, true) }
                _ = try takeOut(t, present)
                ended = present
            }
            try t.write(info.isInSet, 1)
            try retain(t, info)
            return (bits, false)
        }
        try letGo(t, bits, place)
        if isIgnored {
            try t.write(info.hold, 0)
            try t.setGhost(info.opens, -1)
            try release(t, info)
            return false
        }
        if let ended {
            try finishRemoval(t, ended, place)
            try release(t, ended)
        }
        try t.withLock(record) {
            try t.write(info.isLinked, 1)
            try retain(t, info)
        }
        try release(t, info)
        return true
    }
}
