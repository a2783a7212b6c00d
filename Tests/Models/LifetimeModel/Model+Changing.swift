extension Model {
    /// A property is about to be set.
    package func beginSetting(place: Int, _ property: Property, to new: Int) -> Bool {
        guard let thing = places[place] else { return false }
        count(.set)
        beginChange(thing, property, old: property == .value ? things[thing].value : things[thing].other, new: new)
        return true
    }

    /// An object is about to be linked to another.
    package func beginLinking(place: Int, to other: Int?) -> Bool {
        guard let thing = places[place] else { return false }
        let next = other.flatMap { places[$0] }
        // A ring of references is a mistake of the program.
        if let next, things[next].rank <= things[thing].rank { return false }
        count(.link)
        // What is told of the path by changes that are under way is not decided any more.
        for frame in frames {
            for index in frame.dues.indices {
                let watch = watches[frame.dues[index].watch]
                if watch.key == .nextValue, watch.subject == thing { frame.dues[index].isOptional = true }
            }
        }
        batch?.linked.insert(thing)
        beginChange(thing, .next, old: things[thing].next ?? -1, new: next ?? -1)
        return true
    }

    private func isAffected(_ watch: Watch, _ thing: Int, _ property: Property) -> Bool {
        if watch.subject == thing { return watch.key.isChanged(by: property) }
        return watch.key == .nextValue && property == .value && things[watch.subject].next == thing
    }

    private func beginChange(_ thing: Int, _ property: Property, old: Int, new: Int) {
        retain(thing)
        if property == .next, new >= 0 { retain(new) }
        let frame = Frame(.change(thing: thing, property), serial: watches.count, old: old, new: new, isInBatch: batch != nil)
        for id in active where isAffected(watches[id], thing, property) {
            let watch = watches[id]
            let isLeft = isLeftToWaitingThread(watch)
            if isLeft { left.insert(watch.subject) }
            let isOptional = isLeft || watch.key == .nextValue && (isPathUnsettled(watch) || isLinkedInWaitingBatch(watch))
            let prior = Due(watch: id, phase: .prior, old: old, isOptional: isOptional)
            let after = Due(watch: id, phase: .after, old: old, new: new, isOptional: isOptional)
            if let batch {
                if watch.wish.prior, batch.announced.insert(id).inserted { add(prior, to: frame) }
            } else {
                if watch.wish.prior { add(prior, to: frame) }
                add(after, to: frame)
            }
        }
        if let batch {
            frame.kept = active.filter { isAffected(watches[$0], thing, property) }
            for id in frame.kept where batch.olds[key(of: id)] == nil {
                let isAsked = frame.kept.contains { key(of: $0) == key(of: id) && watches[$0].wish.old }
                batch.olds[key(of: id)] = .some(isAsked ? old : nil)
            }
            for id in frame.kept {
                batch.kept.append(watches[id].subject)
                retain(watches[id].subject)
            }
        }
        frames.append(frame)
    }

    /// A call after a change that is due to an observation whose start is under way waits for that, and one before a change is not made.
    func add(_ due: Due, to frame: Frame) {
        if !watches[due.watch].isStarting { return frame.dues.append(due) }
        if due.phase != .prior { watches[due.watch].waiting.append(due) }
    }

    /// Whether a change that is under way has yet to be told of the same path: then nobody says what this one is told as.
    private func isPathUnsettled(_ watch: Watch) -> Bool {
        frames.contains { frame in
            guard case .change = frame.sort else { return false }
            return frame.dues.contains { watches[$0.watch].key == .nextValue && watches[$0.watch].subject == watch.subject }
        }
    }

    /// Whether a thread that waits is telling of the same path: then that thread tells of this change when it goes on.
    func isLeftToWaitingThread(_ watch: Watch) -> Bool {
        watch.key == .nextValue && elsewhereDepth > 0
            && frames.contains { frame in
                guard case .call(let id) = frame.sort else { return false }
                return watches[id].key == .nextValue && watches[id].subject == watch.subject
            }
    }

    /// Whether a batch of a thread that waits has changed the path, which is followed anew when the batch ends.
    ///
    /// Until then the new object is not heard, and who is told at the end is told its value by then.
    func isLinkedInWaitingBatch(_ watch: Watch) -> Bool {
        watch.key == .nextValue && waitingBatches.contains { $0.linked.contains(watch.subject) }
    }

    /// The change is done.
    package func endChange() {
        guard let frame = frames.popLast(), case .change(let thing, let property) = frame.sort else {
            return fail("a change ended that did not begin")
        }
        if !frame.isMade { make(frame) }
        checkNothingIsDue(frame)
        if frame.isInBatch, let batch {
            for id in frame.kept {
                mark(id, frame, in: batch)
            }
            // An observer who came during the change, and has another one coming, is told the value at the end, too.
            for index in batch.dues.indices where property != .next {
                let watch = watches[batch.dues[index].watch]
                if watch.subject == thing, watch.key.isChanged(by: property) { batch.dues[index].new = frame.new }
            }
        }
        release(thing)
        if property == .next, frame.new >= 0 { release(frame.new) }
    }

    /// Takes note of a change for the end of the batch.
    private func mark(_ id: Int, _ frame: Frame, in batch: Batch) {
        if let index = batch.dues.firstIndex(where: { $0.watch == id }) {
            batch.dues[index].new = frame.new
        } else {
            let old = batch.olds[key(of: id)] ?? frame.old
            // A path that a change under way has yet to be told of may not lead here yet.
            let isOptional = watches[id].key == .nextValue && isPathUnsettled(watches[id])
            batch.dues.append(Due(watch: id, phase: .after, old: old, new: frame.new, isOptional: isOptional))
        }
    }

    private func key(of id: Int) -> String { "\(watches[id].subject) \(watches[id].key)" }

    /// The new value is in place.
    func make(_ frame: Frame) {
        frame.isMade = true
        guard case .change(let thing, let property) = frame.sort else { return }
        checkNothingIsDue(frame, phase: .prior)
        switch property {
        case .value: things[thing].value = frame.new
        case .other: things[thing].other = frame.new
        case .next:
            if let old = things[thing].next { release(old) }
            things[thing].next = frame.new < 0 ? nil : frame.new
            if frame.new >= 0 { retain(frame.new) }
        }
    }

    /// Checks that whoever had to be called was.
    func checkNothingIsDue(_ frame: Frame, phase: Phase? = nil) {
        for due in frame.dues where phase == nil || due.phase == phase {
            checkMayBeLeftOut(due)
        }
        frame.dues.removeAll { phase == nil || $0.phase == phase }
    }

    /// Checks that a call that has not come need not come.
    func checkMayBeLeftOut(_ due: Due) {
        let watch = watches[due.watch]
        if due.isOptional || watch.mayEndFor != nil || things[watch.subject].references == 0 { return }
        if things[watch.observer].isDead {
            fail("observation \(due.watch) is still there although its dead observer was to be called")
        } else if things[watch.observer].references > 0 {
            fail("observation \(due.watch) was not called (\(due.phase))")
        }
    }

    func isObserverGoing(_ watch: Watch) -> Bool { things[watch.observer].references == 0 }

    // MARK: Batches

    /// A batch begins, or a part of one.
    package func beginBatch() {
        count(.batch)
        if let batch { batch.depth += 1 } else { batch = Batch(serial: watches.count) }
    }

    /// The body of a batch is done; if it is the outermost, its observers are told now.
    package func endBatchBody() {
        guard let batch else { return fail("a batch ended that did not begin") }
        batch.depth -= 1
        guard batch.depth == 0 else { return }
        self.batch = nil
        let frame = Frame(.endOfBatch, serial: batch.serial)
        frame.isMade = true
        frame.kept = batch.kept
        for due in batch.dues { add(due, to: frame) }
        frames.append(frame)
    }

    /// A batch is over.
    package func endBatch() {
        if batch != nil { return }
        guard let frame = frames.popLast(), case .endOfBatch = frame.sort else { return fail("the end of a batch is not the end") }
        letGo(of: frame)
    }

    /// The batch has told everything, and keeps nothing any more.
    func letGo(of frame: Frame) {
        checkNothingIsDue(frame)
        for thing in frame.kept { release(thing) }
        frame.kept = []
    }

    // MARK: Other threads

    /// Another thread goes on where this one waits; it has no batch.
    package func elsewhere(_ body: () -> Void) {
        count(.elsewhere)
        let mine = batch
        if let mine { waitingBatches.append(mine) }
        batch = nil
        elsewhereDepth += 1
        body()
        elsewhereDepth -= 1
        batch = mine
        if mine != nil { waitingBatches.removeLast() }
    }
}
