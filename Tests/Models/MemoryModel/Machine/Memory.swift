/// The places of memory that a program uses, declared before it runs.
package struct Memory {
    /// A word that threads use with memory orders, or between which a lock decides.
    package struct Atomic: Sendable {
        let index: Int
        /// The object that it is part of: whoever uses the word uses that.
        let object: Object?
    }

    /// A word without memory orders: two threads that use it at once, one of them to write, are a data race.
    package struct Plain: Sendable {
        let index: Int
        let object: Object?
    }

    /// The memory of an object that can be released.
    package struct Object: Sendable {
        let life: Int
    }

    /// A lock.
    package struct Lock: Sendable {
        let index: Int
    }

    /// A word of the checker's own, which every thread sees as it is: what the program has done so far.
    package struct Ghost: Sendable {
        let index: Int
    }

    private(set) var atomicNames: [String] = []
    private(set) var atomicValues: [Int] = []
    private(set) var plainNames: [String] = []
    private(set) var plainValues: [Int] = []
    private(set) var lifeNames: [String?] = []
    private(set) var lockNames: [String] = []
    private(set) var locksHeld: [Bool] = []
    private(set) var ghostValues: [Int] = []

    package init() {}

    package mutating func atomic(_ name: String, _ value: Int = 0, of object: Object? = nil) -> Atomic {
        atomicNames.append(name)
        atomicValues.append(value)
        return Atomic(index: atomicNames.count - 1, object: object)
    }

    package mutating func plain(_ name: String, _ value: Int = 0, of object: Object? = nil) -> Plain {
        plainNames.append(name)
        plainValues.append(value)
        lifeNames.append(nil)
        return Plain(index: plainNames.count - 1, object: object)
    }

    package mutating func object(_ name: String) -> Object {
        plainNames.append("the memory of \(name)")
        plainValues.append(0)
        lifeNames.append(name)
        return Object(life: plainNames.count - 1)
    }

    /// Declares a lock.
    ///
    /// One that is held at the beginning is a signal: whoever locks it waits for whoever unlocks it.
    package mutating func lock(_ name: String, isHeld: Bool = false) -> Lock {
        lockNames.append(name)
        locksHeld.append(isHeld)
        return Lock(index: lockNames.count - 1)
    }

    package mutating func ghost(_ value: Int = 0) -> Ghost {
        ghostValues.append(value)
        return Ghost(index: ghostValues.count - 1)
    }
}

/// A program for a few threads, and what must hold when all have ended.
package struct Program {
    /// A part of a thread's program, behind which only `locals` are remembered.
    ///
    /// It is run again and again, with the same results of its first steps: it must do nothing but call the thread's operations and calculate.
    package typealias Section = (ModelThread) throws -> Void

    /// A thread: its sections, one after the other.
    package typealias Thread = (name: String, sections: [Section])

    package let name: String
    let memory: Memory
    let threads: [Thread]
    let isOver: Section

    /// Makes a program.
    ///
    /// - Parameters:
    ///   - name: The name of the program, for people.
    ///   - memory: The places of memory that it uses.
    ///   - threads: The threads.
    ///   - isOver: Checks what must hold when all threads have ended; it sees all that they did.
    package init(
        _ name: String, _ memory: Memory, _ threads: [Thread], isOver: @escaping Section = { _ in }
    ) {
        self.name = name
        self.memory = memory
        self.threads = threads
        self.isOver = isOver
    }
}
