/// The right to do work that several callers ask for: one of them works for all, and the others leave a mark.
package struct Turn {
    private var thread: UInt = 0
    private var depth = 0
    /// `true` if something has asked for work that has not begun since.
    private(set) var isMarked = false

    package init() {}

    package enum Answer {
        /// The caller must work, and then call `pass(mayRepeat:)`.
        case taken
        /// The same inside the work of the same thread.
        case nested
        /// Whoever has the turn works for the caller.
        case marked
    }

    var isHeld: Bool { depth > 0 }

    func isHeld(by thread: UInt) -> Bool { isHeld && self.thread == thread }

    func isHeld(byAnotherThan thread: UInt) -> Bool { isHeld && self.thread != thread }

    /// Asks for the turn, which its holder gets again only if `mayNest` is `true`.
    package mutating func take(on thread: UInt, mayNest: Bool) -> Answer {
        if isHeld, self.thread != thread || !mayNest {
            isMarked = true
            return .marked
        }
        self.thread = thread
        depth += 1
        return depth == 1 ? .taken : .nested
    }

    mutating func mark() { isMarked = true }

    /// Clears the mark, because the work begins that was asked for.
    package mutating func begin() { isMarked = false }

    /// Gives the turn back; returns `true` if the caller keeps it instead and must work again, because there is a mark.
    package mutating func pass(mayRepeat: @autoclosure () -> Bool) -> Bool {
        if isMarked, depth == 1, mayRepeat() { return true }
        depth -= 1
        return false
    }
}
