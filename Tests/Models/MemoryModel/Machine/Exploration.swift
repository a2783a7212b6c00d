/// The result of the exploration of a program.
package struct Finding: Sendable {
    /// The number of states, or of those that were seen up to the violation.
    package let states: Int
    package let steps: Int
    /// The promise that does not hold, if there is one.
    package let violation: String?
    /// The steps that lead to the violation.
    package let trace: [String]
    /// The sites whose steps were taken.
    package let sites: Set<ObjectIdentifier>
    /// The results that ``Program/isOver`` noted.
    package let outcomes: Set<[Int]>
}

/// Visits every state that a program can reach, depth first, each once.
package struct Exploration {
    private let program: Program
    private let layout: Layout
    private let weakened: [Weakened]
    private var seen: Set<Fingerprint> = []
    private var steps = 0
    private var path: [(thread: Int, choice: Int)] = []
    private var sites: Set<ObjectIdentifier> = []
    private var outcomes: Set<[Int]> = []

    private init(_ program: Program, _ weakened: [Weakened]) {
        self.program = program
        self.weakened = weakened
        layout = Layout(program, tracksAtomics: weakened.contains { $0.order == .plain })
    }

    /// Explores a program.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - weakened: The sites that have another memory order than their own.
    /// - Returns: what was found.
    package static func explore(_ program: Program, _ weakened: [Weakened] = []) -> Finding {
        var exploration = Exploration(program, weakened)
        var violation: String?
        do throws(Violation) {
            try exploration.visit(exploration.begin())
        } catch {
            violation = error.text
        }
        return Finding(
            states: exploration.seen.count, steps: exploration.steps, violation: violation,
            trace: violation == nil ? [] : exploration.retrace(), sites: exploration.sites, outcomes: exploration.outcomes)
    }

    private mutating func begin() throws(Violation) -> State {
        let thread = ModelThread(program, layout, weakened, State(program, layout))
        for number in 0..<layout.threadCount { try run(thread, number, nil) }
        return thread.state
    }

    private func run(_ thread: ModelThread, _ number: Int, _ choice: Int?) throws(Violation) {
        do {
            try thread.run(program, number, choice)
        } catch {
            throw error as? Violation ?? Violation(text: "\(error)")
        }
        thread.state.forget(layout)
    }

    private mutating func visit(_ state: State) throws(Violation) {
        if !seen.insert(state.fingerprint(layout)).inserted { return }
        var isStuck = true
        var isOver = true
        for thread in 0..<layout.threadCount {
            if state.next[thread].kind != .ended { isOver = false }
            let choices = ModelThread.choices(state, layout, thread)
            if choices == 0 { continue }
            isStuck = false
            for choice in 0..<choices {
                path.append((thread, choice))
                steps += 1
                let runner = ModelThread(program, layout, weakened, state)
                defer { sites.formUnion(runner.usedSites) }
                try run(runner, thread, choice)
                try visit(runner.state)
                path.removeLast()
            }
        }
        if isOver { return try end(state) }
        if isStuck { throw Violation(text: "deadlock: every thread waits") }
    }

    private mutating func end(_ state: State) throws(Violation) {
        let thread = ModelThread(program, layout, weakened, state)
        do {
            try thread.runEnd(program)
        } catch {
            throw error as? Violation ?? Violation(text: "\(error)")
        }
        outcomes.insert(thread.locals)
    }

    /// Takes the steps of the path again, and says what they are.
    private func retrace() -> [String] {
        let thread = ModelThread(program, layout, weakened, State(program, layout))
        thread.isTracing = true
        var lines: [String] = []
        func take(_ number: Int, _ choice: Int?) {
            try? run(thread, number, choice)
            lines += thread.trace.map { "\(program.threads[number].name): \($0)" }
            thread.trace = []
        }
        for number in 0..<layout.threadCount { take(number, nil) }
        for (number, choice) in path { take(number, choice) }
        return lines
    }
}

/// A promise that was found not to hold.
package struct Violation: Error {
    package let text: String
}
