/// One thread of a program, as a transcription sees it: each function is one step, or a few that no other thread can tell apart.
package final class ModelThread {
    /// Thrown where the next step is to be taken by whoever explores.
    struct Suspended: Error {}

    let layout: Layout
    let memory: Memory
    let weakened: [Weakened]
    var state: State
    private(set) var number = 0
    /// What the sections of this thread hand on to those behind them.
    package var locals = [Int](repeating: 0, count: Layout.locals)

    private var log: [Int] = []
    private var position = 0
    private var choice: Int?
    private var takesAll = false
    var isTracing = false
    var trace: [String] = []
    var usedSites: Set<ObjectIdentifier> = []

    init(_ program: Program, _ layout: Layout, _ weakened: [Weakened], _ state: State) {
        self.layout = layout
        memory = program.memory
        self.weakened = weakened
        self.state = state
    }

    private var base: Int { number * Layout.thread }

    // MARK: Running

    /// Runs a thread from where it is to its next step that other threads can see.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - number: The thread's.
    ///   - choice: Which of the ways to take in the step that it stands before; nil before the first.
    /// - Throws: a violation.
    func run(_ program: Program, _ number: Int, _ choice: Int?) throws {
        self.number = number
        self.choice = choice
        log = state.logs[number]
        state.logs[number] = []
        let sections = program.threads[number].sections
        while true {
            let section = state.words[base + Layout.section]
            for local in 0..<Layout.locals { locals[local] = state.words[base + Layout.firstLocal + local] }
            if section == sections.count {
                state.next[number] = Step(kind: .ended)
                // What it knows is of no use any more.
                for word in 0..<(3 * Layout.view) { state.words[base + word] = 0 }
                for local in 0..<Layout.locals { state.words[base + Layout.firstLocal + local] = 0 }
                return
            }
            position = 0
            do {
                try sections[section](self)
            } catch is Suspended {
                state.logs[number] = log
                return
            }
            log = []
            state.words[base + Layout.section] = section + 1
            for local in 0..<Layout.locals { state.words[base + Layout.firstLocal + local] = locals[local] }
        }
    }

    /// Runs what must hold when all threads have ended.
    func runEnd(_ program: Program) throws {
        number = 0
        takesAll = true
        log = []
        position = 0
        for thread in 0..<layout.threadCount {
            for word in 0..<(3 * Layout.view) { state.words[thread * Layout.thread + word] = word % Layout.view < Layout.marks ? 0 : ~0 }
        }
        for atomic in 0..<layout.atomicCount { state.setPlace(base, atomic, state.count(layout, atomic) - 1) }
        try program.isOver(self)
    }

    /// In how many ways a thread can take its next step; none if it must wait.
    static func choices(_ state: State, _ layout: Layout, _ thread: Int) -> Int {
        let step = state.next[thread]
        switch step.kind {
        case .ended: return 0
        case .lock: return state.words[layout.locks + step.index * (1 + Layout.view)] == 0 ? 1 : 0
        case .fence: return 1
        case .load: return state.count(layout, step.index) - state.place(thread * Layout.thread, step.index)
        default:
            var count = 0
            for place in state.place(thread * Layout.thread, step.index)..<state.count(layout, step.index)
            where isPossible(state, layout, step, place) { count += 1 }
            return count
        }
    }

    /// Whether a step can read a message, or write behind it.
    private static func isPossible(_ state: State, _ layout: Layout, _ step: Step, _ place: Int) -> Bool {
        if step.kind == .load { return true }
        if step.kind == .compareExchange, state.words[State.message(layout, step.index, place)] != step.expected { return true }
        return state.hasGap(layout, step.index, after: place)
    }

    // MARK: Steps

    private func take(_ step: Step) throws -> Int {
        if position < log.count {
            position += 1
            return log[position - 1]
        }
        let chosen: Int
        if let choice {
            chosen = choice
            self.choice = nil
        } else if takesAll {
            chosen = 0
        } else {
            state.next[number] = step
            throw Suspended()
        }
        let result = try execute(step, chosen)
        log.append(result)
        position += 1
        return result
    }

    /// Remembers the result of a step that no other thread can tell from the one before it.
    private func remember(_ result: () throws -> Int) throws -> Int {
        if position < log.count {
            position += 1
            return log[position - 1]
        }
        let result = try result()
        log.append(result)
        position += 1
        return result
    }

    private func order(_ site: Site) -> MemoryOrder {
        for other in weakened where other.site === site { return other.order }
        return site.order
    }

    private func step(_ kind: Step.Kind, _ word: Memory.Atomic, _ operand: Int, _ site: Site) -> Step {
        Step(kind: kind, index: word.index, operand: operand, order: order(site), site: site, object: word.object)
    }

    package func load(_ word: Memory.Atomic, _ site: Site) throws -> Int { try take(step(.load, word, 0, site)) }
    package func store(_ word: Memory.Atomic, _ value: Int, _ site: Site) throws { _ = try take(step(.store, word, value, site)) }
    /// Adds, and returns the value before.
    package func add(_ word: Memory.Atomic, _ value: Int, _ site: Site) throws -> Int { try take(step(.add, word, value, site)) }
    /// Sets bits, and returns the value before.
    @discardableResult
    package func or(_ word: Memory.Atomic, _ value: Int, _ site: Site) throws -> Int { try take(step(.or, word, value, site)) }
    /// Keeps these bits and clears all others, and returns the value before.
    @discardableResult
    package func and(_ word: Memory.Atomic, _ value: Int, _ site: Site) throws -> Int { try take(step(.and, word, value, site)) }
    package func exchange(_ word: Memory.Atomic, _ value: Int, _ site: Site) throws -> Int { try take(step(.exchange, word, value, site)) }
    package func xor(_ word: Memory.Atomic, _ value: Int, _ site: Site) throws { _ = try take(step(.xor, word, value, site)) }

    /// Compares and exchanges; one that fails without a reason is one that is tried again, and is not modelled.
    package func compareExchange(
        _ word: Memory.Atomic, expected: Int, desired: Int, _ site: Site
    ) throws -> (exchanged: Bool, original: Int) {
        var step = step(.compareExchange, word, desired, site)
        step.expected = expected
        let original = try take(step)
        return (original == expected, original)
    }

    package func fence(_ site: Site) throws { _ = try take(Step(kind: .fence, order: order(site), site: site)) }

    package func lock(_ lock: Memory.Lock) throws { _ = try take(Step(kind: .lock, index: lock.index)) }

    package func unlock(_ lock: Memory.Lock) throws {
        _ = try remember {
            let place = layout.locks + lock.index * (1 + Layout.view)
            state.words[place] = 0
            state.copy(place + 1, from: base + Layout.current)
            note("unlocks \(memory.lockNames[lock.index])")
            return 0
        }
    }

    package func withLock<Result>(_ lock: Memory.Lock, _ body: () throws -> Result) throws -> Result {
        try self.lock(lock)
        let result = try body()
        try unlock(lock)
        return result
    }

    package func read(_ word: Memory.Plain) throws -> Int {
        try remember {
            try use(word.object)
            try readPlain(mark: layout.mark(ofPlain: word.index), memory.plainNames[word.index])
            note("reads \(memory.plainNames[word.index]): \(state.words[layout.plains + word.index])")
            return state.words[layout.plains + word.index]
        }
    }

    package func write(_ word: Memory.Plain, _ value: Int) throws {
        _ = try remember {
            try use(word.object)
            try writePlain(mark: layout.mark(ofPlain: word.index), memory.plainNames[word.index])
            state.words[layout.plains + word.index] = value
            note("writes \(memory.plainNames[word.index]): \(value)")
            return 0
        }
    }

    /// Uses the memory of an object, by a field that the program does not have.
    package func touch(_ object: Memory.Object) throws {
        _ = try remember {
            try use(object)
            return 0
        }
    }

    /// Releases the memory of an object.
    package func free(_ object: Memory.Object) throws {
        _ = try remember {
            let name = memory.lifeNames[object.life] ?? ""
            if state.words[layout.plains + object.life] != 0 { throw Violation(text: "\(name) is released twice") }
            note("releases \(name)")
            if !isKnown(mark: layout.mark(ofPlain: object.life), alsoReads: true) {
                throw Violation(text: "\(name) is released while a thread may be using it")
            }
            try writePlain(mark: layout.mark(ofPlain: object.life), name)
            state.words[layout.plains + object.life] = 1
            return 0
        }
    }

    package func isFreed(_ object: Memory.Object) throws -> Bool {
        try remember { state.words[layout.plains + object.life] } != 0
    }

    package func ghost(_ word: Memory.Ghost) throws -> Int { try remember { state.words[layout.ghosts + word.index] } }

    package func setGhost(_ word: Memory.Ghost, _ value: Int) throws {
        _ = try remember {
            state.words[layout.ghosts + word.index] = value
            return 0
        }
    }

    package func addGhost(_ word: Memory.Ghost, _ value: Int = 1) throws { try setGhost(word, ghost(word) + value) }

    package func check(_ isTrue: Bool, _ text: @autoclosure () -> String) throws {
        if !isTrue { throw Violation(text: text()) }
    }

    // MARK: What a step does

    private func note(_ text: @autoclosure () -> String) {
        if isTracing { trace.append(text()) }
    }

    private func use(_ object: Memory.Object?) throws {
        guard let object else { return }
        if state.words[layout.plains + object.life] != 0 {
            throw Violation(text: "\(memory.lifeNames[object.life] ?? "") is used after it was released")
        }
        try readPlain(mark: layout.mark(ofPlain: object.life), memory.lifeNames[object.life] ?? "")
    }

    /// Whether this thread knows all writes, and all reads, of a word.
    private func isKnown(mark: Int, alsoReads: Bool) -> Bool {
        for thread in 0..<layout.threadCount {
            if !state.knows(base, mark + 2 * thread + 1) { return false }
            if alsoReads, !state.knows(base, mark + 2 * thread) { return false }
        }
        return true
    }

    private func readPlain(mark: Int, _ name: String) throws {
        if takesAll { return }
        if !isKnown(mark: mark, alsoReads: false) { throw Violation(text: "data race: a read of \(name) and a write of another thread") }
        noteRead(mark)
    }

    private func writePlain(mark: Int, _ name: String) throws {
        if !isKnown(mark: mark, alsoReads: true) { throw Violation(text: "data race: a write of \(name) and another thread") }
        noteWrite(mark)
    }

    private func noteRead(_ mark: Int) { state.setMark(mark + 2 * number, only: number, layout) }
    private func noteWrite(_ mark: Int) { state.setMark(mark + 2 * number + 1, only: number, layout) }

    private func execute(_ step: Step, _ choice: Int) throws -> Int {
        if let site = step.site { usedSites.insert(ObjectIdentifier(site)) }
        switch step.kind {
        case .ended: return 0
        case .lock:
            let place = layout.locks + step.index * (1 + Layout.view)
            state.words[place] = number + 1
            state.join(base + Layout.current, place + 1)
            state.join(base + Layout.acquired, place + 1)
            note("locks \(memory.lockNames[step.index])")
            return 0
        case .fence:
            fence(step)
            return 0
        default: break
        }
        try use(step.object)
        let first = state.place(base, step.index)
        if takesAll {
            // Everything is over: the last message is there for good.
            return state.words[State.message(layout, step.index, state.count(layout, step.index) - 1)]
        }
        var place = first
        var left = choice
        while true {
            if Self.isPossible(state, layout, step, place) {
                if left == 0 { break }
                left -= 1
            }
            place += 1
        }
        return step.kind == .store ? try executeStore(step, place) : try executeReading(step, place)
    }

    private func fence(_ step: Step) {
        note("fence, \(step.order)")
        if step.order.acquires { state.join(base + Layout.current, base + Layout.acquired) }
        if step.order == .sequentiallyConsistent {
            for word in 0..<Layout.marks {
                let larger = State.larger(state.words[base + word], state.words[layout.order + word])
                state.words[base + word] = larger
                state.words[layout.order + word] = larger
            }
            state.join(base + Layout.acquired, base + Layout.current)
        }
        if step.order.releases { state.copy(base + Layout.released, from: base + Layout.current) }
    }

    /// Checks the races that an access has with plain ones: there are some only if a relaxed access was weakened.
    private func checkRaces(_ step: Step, isWriting: Bool) throws {
        if !layout.tracksAtomics { return }
        let mark = layout.mark(ofAtomic: step.index)
        let name = memory.atomicNames[step.index]
        let plainMark = layout.mark(ofPlainAccessTo: step.index)
        let isPlain = step.order == .plain
        let others = isPlain ? mark : plainMark
        if !isKnown(mark: others, alsoReads: isWriting) {
            throw Violation(text: "data race: \(isWriting ? "a write" : "a read") of \(name) and another thread")
        }
        isWriting ? noteWrite(mark) : noteRead(mark)
        if isPlain { isWriting ? noteWrite(plainMark) : noteRead(plainMark) }
    }

    private func executeStore(_ step: Step, _ before: Int) throws -> Int {
        try checkRaces(step, isWriting: true)
        let place = before + 1
        state.insert(layout, step.index, at: place)
        let message = State.message(layout, step.index, place)
        state.words[message] = step.operand
        state.setPlace(base + Layout.current, step.index, place)
        state.setPlace(base + Layout.acquired, step.index, max(place, state.place(base + Layout.acquired, step.index)))
        state.copy(message + 2, from: base + (step.order.releases ? Layout.current : Layout.released))
        state.setPlace(message + 2, step.index, place)
        note("\(describe(step)) := \(step.operand)\(place + 1 < state.count(layout, step.index) ? ", before what is there" : "")")
        return 0
    }

    private func executeReading(_ step: Step, _ place: Int) throws -> Int {
        let message = State.message(layout, step.index, place)
        let value = state.words[message]
        let isWriting = step.kind != .load && (step.kind != .compareExchange || value == step.expected)
        try checkRaces(step, isWriting: isWriting)
        let age = state.count(layout, step.index) - 1 - place
        state.setPlace(base + Layout.current, step.index, place)
        state.join(base + Layout.acquired, message + 2)
        state.join(base + Layout.acquired, base + Layout.current)
        if step.order.acquires { state.join(base + Layout.current, message + 2) }
        if !isWriting {
            note("\(describe(step)) = \(value)\(age > 0 ? ", which is not the latest" : "")\(step.kind == .load ? "" : ", not exchanged")")
            return value
        }
        state.insert(layout, step.index, at: place + 1)
        let made = State.message(layout, step.index, place + 1)
        state.words[made] = step.result(of: value)
        state.words[made + 1] = 1
        state.setPlace(base + Layout.current, step.index, place + 1)
        state.setPlace(base + Layout.acquired, step.index, max(place + 1, state.place(base + Layout.acquired, step.index)))
        state.copy(made + 2, from: base + (step.order.releases ? Layout.current : Layout.released))
        // The release sequence: whoever reads the read-modify-write acquires what it read, too.
        state.join(made + 2, State.message(layout, step.index, place) + 2)
        state.setPlace(made + 2, step.index, place + 1)
        note("\(describe(step)) \(value) -> \(step.result(of: value))\(age > 0 ? ", before what is there" : "")")
        return value
    }

    private func describe(_ step: Step) -> String {
        let order = step.site.map { $0.order == step.order ? "\($0)" : "\($0), weakened to \(step.order)" } ?? ""
        return "\(memory.atomicNames[step.index]) [\(order)]"
    }
}
