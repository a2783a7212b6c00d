extension Model {
    /// A handler is called.
    ///
    /// - Returns: what it is to do.
    package func called(_ id: Int, _ phase: Phase, old: Int?, new: Int?) -> [Operation] {
        if failure != nil { return [] }
        histogram.countCall()
        let watch = watches[id]
        controllers[watch.controller].counters.delivered += 1
        check(watch.outcome.isObserving, "observation \(id) was called although it was \(watch.outcome)")
        check(watch.mayEndFor == nil, "observation \(id) was called after its end")
        check(!things[watch.observer].isDead, "observation \(id) was called for a dead observer")
        check(!things[watch.subject].isDead, "observation \(id) was called with a dead object")
        accept(id, phase, old, new)
        watches[id].running += 1
        retain(watch.observer)
        frames.append(Frame(.call(watch: id), serial: watches.count))
        depth += 1
        guard watches[id].shots > 0, failure == nil else { return [] }
        watches[id].shots -= 1
        return watch.wish.reaction
    }

    /// A handler returns.
    package func returned(_ id: Int) {
        guard let frame = frames.popLast(), case .call(id) = frame.sort else { return fail("observation \(id) returned out of order") }
        depth -= 1
        watches[id].running -= 1
        release(watches[id].observer)
        if watches[id].running == 0, watches[id].mayEndFor != nil { releaseSubject(id) }
    }

    /// Finds what the call is about.
    private func accept(_ id: Int, _ phase: Phase, _ old: Int?, _ new: Int?) {
        guard let frame = frames.last else { return fail("observation \(id) was called out of the blue") }
        switch frame.sort {
        case .call: fail("observation \(id) was called out of a handler")
        case .registration(id):
            if phase == .initial, !frame.dues.isEmpty {
                checkValues(frame.dues.removeFirst(), phase, old, new)
            } else if let index = waiting(id, phase, old, new, readsLate: false)
                ?? waiting(id, phase, old, new, readsLate: takesKeysOneByOne)
            {
                check(frame.dues.isEmpty, "observation \(id) was told of a change before its initial call was over")
                watches[id].waiting.remove(at: index)
            } else {
                fail("observation \(id) was called during its registration (\(phase))")
            }
        case .registration(let other): fail("observation \(id) was called during the registration of \(other)")
        case .change, .endOfBatch:
            if phase == .after, !frame.isMade { make(frame) }
            if phase == .prior, frame.isMade { fail("observation \(id) was called too late (\(phase))") }
            guard let index = frame.dues.firstIndex(where: { $0.watch == id && $0.phase == phase }) else {
                if takeOuterPriorCall(id, phase, frame) { return }
                if !mayBeCalledLate(id, frame) { fail("observation \(id) was called for nothing (\(phase))") }
                return
            }
            var due = frame.dues.remove(at: index)
            // The end of a batch tells the value of now, also that of another thread.
            if case .endOfBatch = frame.sort, let now = plainValue(watches[id].subject, watches[id].key) {
                if new == now { due.new = now }
            }
            checkValues(due, phase, old, new)
            checkOrder(id, phase, frame)
        }
    }

    /// Finds the call before the first change of a batch among those of a change that is nested in that one, and comes first to it.
    private func takeOuterPriorCall(_ id: Int, _ phase: Phase, _ frame: Frame) -> Bool {
        guard frame.isInBatch, phase == .prior else { return false }
        for outer in frames.reversed() where outer.isInBatch {
            guard let index = outer.dues.firstIndex(where: { $0.watch == id }) else { continue }
            outer.dues.remove(at: index)
            return true
        }
        return false
    }

    /// Whether the rules leave open if an observation that came during a change, before it was made, is told of it.
    ///
    /// Of derived keys, an evaluation calls those who were there when it began (rule 10), so that who came since the change began may hear it;
    /// and so may who was there, if the path has come to lead there since.
    private func mayBeCalledLate(_ id: Int, _ frame: Frame) -> Bool {
        let watch = watches[id]
        if case .endOfBatch = frame.sort { return watch.serial >= frame.serial }
        if isLinkedInWaitingBatch(watch) || watch.key == .nextValue && left.contains(watch.subject) { return true }
        if watch.key == .nextValue, case .change(let thing, _) = frame.sort, things[watch.subject].next == thing { return true }
        return watch.serial >= frame.serial && (watch.isFromElsewhere || !watch.key.isPlain)
    }

    /// Those of one key are called in the order in which they registered, those of a derived key for each controller.
    private func checkOrder(_ id: Int, _ phase: Phase, _ frame: Frame) {
        let watch = watches[id]
        frame.dues.removeAll { due in
            let other = watches[due.watch]
            guard due.phase == phase, other.subject == watch.subject, other.key == watch.key, other.order < watch.order,
                watch.key.isPlain || other.controller == watch.controller
            else { return false }
            checkMayBeLeftOut(due)
            return true
        }
    }

    /// The first call that waits and may be this one.
    private func waiting(_ id: Int, _ phase: Phase, _ old: Int?, _ new: Int?, readsLate: Bool) -> Int? {
        watches[id].waiting.firstIndex { $0.phase == phase && agrees($0, id, old, new, readsLate: readsLate) }
    }

    private func agrees(_ due: Due, _ id: Int, _ old: Int?, _ new: Int?, readsLate: Bool) -> Bool {
        let watch = watches[id]
        guard watch.key.isPlain else { return true }
        let subject = things[watch.subject]
        // What waited during a registration was read before, and nobody knows when.
        let isWaiting = frames.last.map { if case .registration = $0.sort { true } else { false } } ?? false
        let isPresent = new == (watch.key == .value ? subject.value : subject.other)
        let isLater = readsLate && due.phase == .after && (isPresent || isWaiting)
        return (isLater || new == (due.phase == .prior ? nil : due.new))
            && old == (watch.wish.old && due.phase != .initial ? due.old : nil)
    }

    private func checkValues(_ due: Due, _ phase: Phase, _ old: Int?, _ new: Int?) {
        check(
            agrees(due, due.watch, old, new, readsLate: takesKeysOneByOne),
            "observation \(due.watch) was told \(old.map { "\($0)" } ?? "nothing") and \(new.map { "\($0)" } ?? "nothing") "
                + "instead of \(due.old.map { "\($0)" } ?? "nothing") and \(due.new.map { "\($0)" } ?? "nothing") (\(phase))")
    }

    /// The end of an observation is told.
    package func ended(_ id: Int, _ reason: EndReason) {
        if failure != nil { return }
        let watch = watches[id]
        check(watch.outcome.isObserving, "observation \(id) ended although it was \(watch.outcome)")
        check(!watch.wasToldEnd, "observation \(id) was told its end twice")
        check(watch.running == 0, "observation \(id) was told its end during a call")
        watches[id].wasToldEnd = true
        if reason == .objectDeinitialized { watches[id].mayKeepCaptures = true }
        if let reasons = watch.mayEndFor {
            check(reasons.contains(reason), "observation \(id) ended for \(reason) instead of \(reasons)")
            return
        }
        switch reason {
        case .observerDeinitialized where isObserverGoing(watch): controllers[watch.controller].counters.dropped += 1
        case .objectDeinitialized where things[watch.subject].references == 0: break
        default: fail("observation \(id) ended for \(reason)")
        }
        end(id, [reason])
    }

    /// What a handler captured is released.
    package func releasedCaptures(_ id: Int) {
        if failure != nil { return }
        check(!watches[id].hasReleasedCaptures, "the captures of observation \(id) were released twice")
        check(watches[id].running == 0, "the captures of observation \(id) were released during a call")
        watches[id].hasReleasedCaptures = true
    }

    /// Something that must not be.
    package func objects(to what: String) { fail(what) }
}
