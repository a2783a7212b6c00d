/// Where each part of a state lies among its words.
struct Layout {
    /// A view takes six words: three of places, eight atomic words each, eight bits a place; three of marks, one bit each.
    static let view = 6
    static let marks = 3
    /// The most messages that a word keeps.
    static let depth = 24
    /// A message: its value, whether the next but for it follows it without a gap, its view.
    static let message = 2 + view
    static let locals = 6

    // Offsets in the words of a thread.
    static let current = 0
    static let acquired = view
    static let released = 2 * view
    static let section = 3 * view
    static let firstLocal = section + 1
    static let thread = firstLocal + locals

    let threadCount: Int
    let atomicCount: Int
    let plainCount: Int
    let lockCount: Int
    let ghostCount: Int
    let tracksAtomics: Bool

    let order: Int
    let locks: Int
    let plains: Int
    let ghosts: Int
    let atomics: Int
    let size: Int

    static let atomic = 1 + depth * message

    init(_ program: Program, tracksAtomics: Bool) {
        threadCount = program.threads.count
        atomicCount = program.memory.atomicNames.count
        plainCount = program.memory.plainNames.count
        lockCount = program.memory.lockNames.count
        ghostCount = program.memory.ghostValues.count
        self.tracksAtomics = tracksAtomics
        order = threadCount * Self.thread
        locks = order + Self.marks
        plains = locks + lockCount * (1 + Self.view)
        ghosts = plains + plainCount
        atomics = ghosts + ghostCount
        size = atomics + atomicCount * Self.atomic
        precondition(atomicCount <= 24, "The program has too many atomic words.")
        precondition(markCount <= 192, "The program has too many plain words, or threads.")
    }

    /// How many marks there are: they say whose accesses to a word are known.
    ///
    /// Each thread has a bit for its reads of a word and one for its writes. Of an atomic word it has two more, for those of the accesses that are plain.
    var markCount: Int { plainCount * 2 * threadCount + (tracksAtomics ? atomicCount * 4 * threadCount : 0) }
    func mark(ofPlain index: Int) -> Int { index * 2 * threadCount }
    func mark(ofAtomic index: Int) -> Int { (plainCount + 2 * index) * 2 * threadCount }
    func mark(ofPlainAccessTo index: Int) -> Int { mark(ofAtomic: index) + 2 * threadCount }
}

/// All that decides how a program goes on: the histories of words, what threads know of them, where threads are.
struct State {
    var words: [Int]
    /// The results of the steps that each thread has taken in its section.
    var logs: [[Int]]
    /// What each thread does next; it follows from the rest.
    var next: [Step]

    init(_ program: Program, _ layout: Layout) {
        words = [Int](repeating: 0, count: layout.size)
        logs = [[Int]](repeating: [], count: layout.threadCount)
        next = [Step](repeating: Step(kind: .ended), count: layout.threadCount)
        for index in 0..<layout.plainCount { words[layout.plains + index] = program.memory.plainValues[index] }
        for index in 0..<layout.ghostCount { words[layout.ghosts + index] = program.memory.ghostValues[index] }
        for index in 0..<layout.lockCount where program.memory.locksHeld[index] { words[layout.locks + index * (1 + Layout.view)] = 1 }
        for index in 0..<layout.atomicCount {
            words[layout.atomics + index * Layout.atomic] = 1
            words[layout.atomics + index * Layout.atomic + 1] = program.memory.atomicValues[index]
        }
        // Nothing has been read or written yet, so everything that was is known to everybody.
        for view in views(layout) {
            for word in Layout.marks..<Layout.view { words[view + word] = ~0 }
        }
    }

    /// Where the views are that carry marks.
    func views(_ layout: Layout) -> [Int] {
        var views: [Int] = []
        for thread in 0..<layout.threadCount {
            let base = thread * Layout.thread
            views += [base + Layout.current, base + Layout.acquired, base + Layout.released]
        }
        for lock in 0..<layout.lockCount { views.append(layout.locks + lock * (1 + Layout.view) + 1) }
        for atomic in 0..<layout.atomicCount {
            let base = layout.atomics + atomic * Layout.atomic
            for message in 0..<words[base] { views.append(base + 1 + message * Layout.message + 2) }
        }
        return views
    }

    // MARK: Views

    /// The larger of each place of two words of places.
    static func larger(_ one: Int, _ other: Int) -> Int {
        if one == other { return one }
        let guards = Int(bitPattern: 0x8080_8080_8080_8080)
        let atLeast = ((one | guards) &- other) & guards
        // Seven bits in each place where the one is at least the other.
        let mask = Int(bitPattern: UInt(bitPattern: atLeast) &- (UInt(bitPattern: atLeast) >> 7))
        return (one & mask) | (other & ~mask & ~guards)
    }

    /// Lets a view know what another knows.
    mutating func join(_ view: Int, _ other: Int) {
        words[view] = Self.larger(words[view], words[other])
        words[view + 1] = Self.larger(words[view + 1], words[other + 1])
        words[view + 2] = Self.larger(words[view + 2], words[other + 2])
        words[view + 3] |= words[other + 3]
        words[view + 4] |= words[other + 4]
        words[view + 5] |= words[other + 5]
    }

    mutating func copy(_ view: Int, from other: Int) {
        words[view] = words[other]
        words[view + 1] = words[other + 1]
        words[view + 2] = words[other + 2]
        words[view + 3] = words[other + 3]
        words[view + 4] = words[other + 4]
        words[view + 5] = words[other + 5]
    }

    func place(_ view: Int, _ atomic: Int) -> Int { (words[view + atomic >> 3] >> ((atomic & 7) << 3)) & 127 }

    mutating func setPlace(_ view: Int, _ atomic: Int, _ place: Int) {
        let shift = (atomic & 7) << 3
        let word = view + atomic >> 3
        words[word] = words[word] & ~(127 << shift) | place << shift
    }

    func knows(_ view: Int, _ mark: Int) -> Bool { words[view + Layout.marks + mark >> 6] & 1 << (mark & 63) != 0 }

    /// Makes a mark known to one thread alone.
    mutating func setMark(_ mark: Int, only thread: Int, _ layout: Layout) {
        let word = Layout.marks + mark >> 6
        let bit = 1 << (mark & 63)
        let others = ~bit
        var view = word
        while view < layout.order {
            words[view] &= others
            words[view + Layout.acquired] &= others
            words[view + Layout.released] &= others
            view += Layout.thread
        }
        view = layout.locks + 1 + word
        while view < layout.plains {
            words[view] &= others
            view += 1 + Layout.view
        }
        var base = layout.atomics
        while base < layout.size {
            view = base + 3 + word
            let end = view + words[base] * Layout.message
            while view < end {
                words[view] &= others
                view += Layout.message
            }
            base += Layout.atomic
        }
        words[thread * Layout.thread + word] |= bit
        words[thread * Layout.thread + Layout.acquired + word] |= bit
    }

    // MARK: Histories

    /// Where the words of a message are.
    static func message(_ layout: Layout, _ atomic: Int, _ place: Int) -> Int {
        layout.atomics + atomic * Layout.atomic + 1 + place * Layout.message
    }

    func count(_ layout: Layout, _ atomic: Int) -> Int { words[layout.atomics + atomic * Layout.atomic] }

    /// Whether another message may come behind one: not between a read-modify-write and what it read.
    func hasGap(_ layout: Layout, _ atomic: Int, after place: Int) -> Bool {
        place + 1 == count(layout, atomic) || words[Self.message(layout, atomic, place + 1) + 1] == 0
    }

    /// Makes room for a message at a place; everything behind it moves on.
    mutating func insert(_ layout: Layout, _ atomic: Int, at place: Int) {
        let count = count(layout, atomic)
        precondition(count < Layout.depth, "A word has too many messages: make the program smaller.")
        words[layout.atomics + atomic * Layout.atomic] = count + 1
        if place == count { return }
        var other = count
        while other > place {
            let (from, to) = (Self.message(layout, atomic, other - 1), Self.message(layout, atomic, other))
            for word in 0..<Layout.message { words[to + word] = words[from + word] }
            other -= 1
        }
        for word in 0..<Layout.message { words[Self.message(layout, atomic, place) + word] = 0 }
        shift(layout, atomic, by: 1, from: place)
    }

    /// Renumbers the places of a word in all views.
    private mutating func shift(_ layout: Layout, _ atomic: Int, by change: Int, from least: Int) {
        for view in views(layout) + [layout.order] {
            let place = place(view, atomic)
            if place >= least { setPlace(view, atomic, max(0, place + change)) }
        }
    }

    /// Forgets the messages that no thread can read any more.
    mutating func forget(_ layout: Layout) {
        for atomic in 0..<layout.atomicCount {
            let count = count(layout, atomic)
            if count == 1 { continue }
            var least = count - 1
            for thread in 0..<layout.threadCount where next[thread].kind != .ended {
                least = min(least, place(thread * Layout.thread + Layout.current, atomic))
            }
            if least == 0 { continue }
            for place in 0..<count {
                let to = Self.message(layout, atomic, place)
                let from = to + least * Layout.message
                let isLeft = place + least < count
                if isLeft { for word in 0..<Layout.message { words[to + word] = words[from + word] } }
            }
            words[layout.atomics + atomic * Layout.atomic] = count - least
            shift(layout, atomic, by: -least, from: 1)
        }
    }

    /// A number by which the state is known again.
    func fingerprint(_ layout: Layout) -> Fingerprint {
        var first = Hasher()
        var second = Hasher()
        second.combine(1 as UInt8)
        // SAFETY: the bytes are read while the array is there, and within it.
        unsafe words.withUnsafeBytes { bytes in
            func combine(_ range: Range<Int>) {
                let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound * 8..<range.upperBound * 8])
                unsafe first.combine(bytes: part)
                unsafe second.combine(bytes: part)
            }
            combine(0..<layout.atomics)
            // What is behind the messages of a word is no part of the state.
            for atomic in 0..<layout.atomicCount {
                let base = layout.atomics + atomic * Layout.atomic
                combine(base..<base + 1 + words[base] * Layout.message)
            }
        }
        for log in logs {
            first.combine(log.count)
            second.combine(log.count)
            // SAFETY: as above.
            unsafe log.withUnsafeBytes { bytes in
                unsafe first.combine(bytes: bytes)
                unsafe second.combine(bytes: bytes)
            }
        }
        return Fingerprint(first: first.finalize(), second: second.finalize())
    }
}

/// Two hashes of a state, which stand for it among those that were seen.
struct Fingerprint: Hashable {
    let first: Int
    let second: Int

    func hash(into hasher: inout Hasher) { hasher.combine(first) }
}

/// What a thread does next.
struct Step {
    enum Kind: UInt8 {
        case load, store, add, or, and, xor, exchange, compareExchange, fence, lock, ended
    }

    var kind: Kind
    /// The word, or the lock.
    var index = 0
    var operand = 0
    var expected = 0
    var order = MemoryOrder.relaxed
    var site: Site?
    var object: Memory.Object?

    /// The word after a read-modify-write of a value.
    func result(of value: Int) -> Int {
        switch kind {
        case .add: value &+ operand
        case .or: value | operand
        case .and: value & operand
        case .xor: value ^ operand
        default: operand
        }
    }
}
