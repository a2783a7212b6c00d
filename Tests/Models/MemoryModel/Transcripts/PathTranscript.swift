/// The turn and the links of an observed key path: `Turn`, `TrackedPath`, `AccessRecorder`.
///
/// A getter reads `x`, and `y` too if `x` is odd. Both are atomic properties, so that any thread may evaluate the key path. No protocol of atomic words
/// decides who sees what: the lock of a property orders its value and the link to it, and the lock of the path orders the turn and the mark.
struct PathTranscript {
    /// What the protocol leaves out.
    enum Defect {
        case none
        case linkIsMadeAfterTheRead
        case markIsNotTaken
        case eachEvaluates
    }

    /// A property with the head of its list, in which there is at most the link of this path.
    struct Property {
        let cell: Memory.Lock
        let value: Memory.Plain
        let head: Memory.Atomic
        /// What the link refers to, written before it is in the list.
        let link: Memory.Plain
        let record: Memory.Lock

        init(_ memory: inout Memory, _ name: String) {
            cell = memory.lock("\(name).cell.lock")
            value = memory.plain(name)
            head = memory.atomic("\(name).list.chain.head")
            link = memory.plain("the link to \(name)")
            record = memory.lock("\(name).record.lock")
        }

        func read(_ t: ModelThread) throws -> Int { try t.withLock(cell) { try t.read(value) } }
    }

    let defect: Defect
    let x: Property
    let y: Property
    let lock: Memory.Lock
    let isHeld: Memory.Plain
    let isMarked: Memory.Plain
    /// Which properties the path is linked to.
    let links: Memory.Plain
    /// The value that observers have, the calls, and the threads that evaluate the key path.
    let last: Memory.Ghost
    let calls: Memory.Ghost
    let evaluating: Memory.Ghost

    init(_ memory: inout Memory, _ defect: Defect) {
        self.defect = defect
        x = Property(&memory, "x")
        y = Property(&memory, "y")
        lock = memory.lock("path.lock")
        isHeld = memory.plain("path.turn.depth")
        isMarked = memory.plain("path.turn.isMarked")
        links = memory.plain("path.links")
        last = memory.ghost()
        calls = memory.ghost()
        evaluating = memory.ghost()
    }

    // MARK: The turn

    /// `takeTurn()`, with `begin(_:)`.
    private func takeTurn(_ t: ModelThread) throws -> Bool {
        try t.withLock(lock) {
            if defect != .eachEvaluates, try t.read(isHeld) != 0 {
                try t.write(isMarked, 1)
                return false
            }
            try t.write(isHeld, 1)
            try t.write(isMarked, 0)
            return true
        }
    }

    /// `pass()`; returns `true` if the path must be evaluated once more.
    private func pass(_ t: ModelThread) throws -> Bool {
        try t.withLock(lock) {
            if defect != .markIsNotTaken, try t.read(isMarked) != 0 {
                try t.write(isMarked, 0)
                return true
            }
            try t.write(isHeld, 0)
            return false
        }
    }

    // MARK: Evaluation

    /// `willRead` of the recorder, and the getter of the property.
    private func read(_ t: ModelThread, _ property: Property, _ bit: Int) throws -> Int {
        if defect == .linkIsMadeAfterTheRead {
            let value = try property.read(t)
            try link(t, property, bit)
            return value
        }
        try link(t, property, bit)
        return try property.read(t)
    }

    private func link(_ t: ModelThread, _ property: Property, _ bit: Int) throws {
        let isNew = try t.withLock(lock) {
            let links = try t.read(links)
            if links & bit == 0 { try t.write(self.links, links | bit) }
            return links & bit == 0
        }
        guard isNew else { return }
        try t.write(property.link, 1)
        try t.withLock(property.record) { try t.store(property.head, 1, ChainTranscript.publishHead) }
    }

    private func evaluate(_ t: ModelThread) throws {
        try t.check(t.ghost(evaluating) == 0, "two threads evaluate the key path at once")
        try t.addGhost(evaluating)
        let first = try read(t, x, 1)
        let value = try first & 1 == 0 ? first : first + 10 * read(t, y, 2)
        try t.addGhost(calls)
        try t.setGhost(last, value)
        try t.addGhost(evaluating, -1)
    }

    /// `dependencyDidChange`, and the evaluation of a registration.
    func work(_ t: ModelThread) throws {
        guard try takeTurn(t) else { return }
        repeat { try evaluate(t) } while try pass(t)
    }

    /// An assignment: the value changes under the lock, and the list is looked at afterward.
    func assign(_ t: ModelThread, _ property: Property) throws {
        try t.withLock(property.cell) { try t.write(property.value, t.read(property.value) + 1) }
        guard try t.load(property.head, ChainTranscript.walkHead) != 0 else { return }
        _ = try t.read(property.link)
        try work(t)
    }
}

extension PathTranscript {
    static var programs: [Program] { [registration(.none), dependency(.none)] }
    static var defects: [Program] {
        [registration(.linkIsMadeAfterTheRead), dependency(.markIsNotTaken), dependency(.eachEvaluates)]
    }

    /// A key path is observed while another thread assigns to what it reads.
    private static func registration(_ defect: Defect) -> Program {
        var memory = Memory()
        let path = PathTranscript(&memory, defect)
        return Program(
            "paths: a first evaluation beside an assignment" + name(of: defect), memory,
            [("registration", [{ try path.work($0) }]), ("assignment", [{ try path.assign($0, path.x) }])]
        ) { t in try path.checkLast(t, assignments: 1) }
    }

    /// A key path that is observed comes to depend on a property while another thread assigns to that one.
    private static func dependency(_ defect: Defect) -> Program {
        var memory = Memory()
        let path = PathTranscript(&memory, defect)
        return Program(
            "paths: a dependency appears" + name(of: defect), memory,
            [
                (
                    "registration, and an assignment to x",
                    [
                        { t in
                            try path.work(t)
                            try path.assign(t, path.x)
                        }
                    ]
                ), ("assignment to y", [{ try path.assign($0, path.y) }]),
            ]
        ) { t in try path.checkLast(t, assignments: 2) }
    }

    private static func name(of defect: Defect) -> String {
        switch defect {
        case .none: ""
        case .linkIsMadeAfterTheRead: ", linked after the read"
        case .markIsNotTaken: ", its mark left"
        case .eachEvaluates: ", without a turn"
        }
    }

    /// Checks that the observers have the key path's value, and that nothing waits.
    private func checkLast(_ t: ModelThread, assignments: Int) throws {
        let first = try x.read(t)
        let value = try first & 1 == 0 ? first : first + 10 * y.read(t)
        try t.check(t.ghost(last) == value, "the last value is not the one that the observers have")
        try t.check(t.read(isHeld) == 0, "the turn is held for ever")
        try t.check(t.ghost(calls) <= assignments + 1, "there are more calls than changes")
    }
}
