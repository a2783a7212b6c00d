import Foundation
import SafeKVO

/// The faults that a program has found: the rule, and what happened first.
final class Findings: Sendable {
    static let chain = "20a, 37 old is the new before it"
    static let lastNew = "37 the last new is the value"
    static let mostCalls = "37 at most n calls"

    private let leavesOutOpen = Shared(false)
    private let found = Shared<[String: (count: Int, first: String)]>([:])

    func add(_ rule: String, _ what: @autoclosure () -> String) {
        let text = what()
        found.with { $0[rule] = ($0[rule].map { $0.count + 1 } ?? 1, $0[rule]?.first ?? text) }
    }

    /// Leaves out the rules that some operations do not keep yet: see `ConcurrentOperation.open`.
    func leaveOutOpen() { leavesOutOpen.with { $0 = true } }

    var lines: [String] {
        let open = leavesOutOpen.current ? [Self.chain, Self.lastNew, Self.mostCalls] : []
        return found.current.filter { !open.contains($0.key) }.sorted { $0.key < $1.key }
            .map { "\($0.key) ×\($0.value.count): \($0.value.first)" }
    }
}

/// One observation, as its handler sees it, and what must hold for it under any order.
final class Watch: Sendable {
    enum Form: String, CaseIterable, Sendable { case value, onChange, change }

    private struct State {
        var first: Int?
        var last: Int?
        var calls = 0
        /// The calls after changes.
        var changes = 0
        var running: [UInt: Int] = [:]
        var terminations = 0
        var hasActed = false
        var isRemoved = false
        /// The last calls, each with its thread.
        var story: [String] = []

        mutating func tell(_ call: String) {
            if story.count == Watch.storyLength { story.removeFirst() }
            story.append("\(call) on \(Watch.thread % 1000)")
        }
        var pairs: [Int: Int] = [:]
    }

    private static let storyLength = 6

    let name: String
    let form: Form
    let grows: Bool
    /// `true` if several threads may call the handler at once: a change form on any thread.
    let mayOverlap: Bool
    /// `true` if the changes may come in any order, each with the values before and after it.
    let isOfStoredKey: Bool
    /// `true` if the observation is there from before the first change.
    let isThroughout: Bool
    /// `true` if the observation gets each change, so that each old value is the new one before it.
    let isChained: Bool
    private let findings: Findings
    private let state = Shared(State())

    init(
        _ name: String, _ form: Form, grows: Bool, mayOverlap: Bool = false, isOfStoredKey: Bool = false,
        isThroughout: Bool = false, isChained: Bool = true, _ findings: Findings
    ) {
        (self.name, self.form, self.grows, self.mayOverlap) = (name, form, grows, mayOverlap)
        (self.isOfStoredKey, self.isThroughout, self.isChained, self.findings) = (isOfStoredKey, isThroughout, isChained, findings)
    }

    var isOver: Bool { state.with { $0.terminations > 0 } }
    var last: Int? { state.with { $0.last } }
    var changes: Int { state.with { $0.changes } }
    private var story: [String] { state.with { $0.story } }

    static var thread: UInt { pthread_self() }

    /// Begins a call; `end()` ends it.
    func begin() {
        let thread = Self.thread
        let (isLate, isDouble) = state.with { state in
            defer {
                state.running[thread, default: 0] += 1
                state.calls += 1
            }
            return (state.terminations > 0 || state.isRemoved, !state.running.isEmpty && state.running[thread] == nil)
        }
        if isLate { findings.add("39, 49 no call after the end", name) }
        if isDouble, !mayOverlap { findings.add("1 one call at a time", name) }
    }

    /// The observation has been removed where its handler is called, so that no call begins any more.
    func isRemovedAtHome() { state.with { $0.isRemoved = true } }

    /// `true` for the first caller.
    func mayAct() -> Bool {
        state.with { state in
            defer { state.hasActed = true }
            return !state.hasActed
        }
    }

    func end() {
        let thread = Self.thread
        state.with { state in
            let depth = state.running[thread, default: 0] - 1
            state.running[thread] = depth == 0 ? nil : depth
        }
    }

    /// The value form, and what a sequence hands out.
    func value(_ new: Int, _ act: () -> Void = {}) {
        begin()
        defer { end() }
        let last = state.with { state in
            state.tell("\(new)")
            defer { state.last = new }
            return state.last
        }
        if grows, let last, new < last { findings.add("11a no older value", "\(name): \(new) after \(last)") }
        if mayAct() { act() }
    }

    func onChange(_ old: Int, _ new: Int) {
        begin()
        defer { end() }
        let last = state.with { state in
            defer { state.last = new }
            return state.last
        }
        if grows, let last, new < last { findings.add("11a no older value", "\(name): \(new) after \(last)") }
        if let last, old != last { findings.add("11a old is the value before", "\(name): \(old) to \(new) after \(last)") }
    }

    /// The change form, with old and new values.
    func change(_ change: KeyValueChange<Int>, _ act: () -> Void = {}) {
        begin()
        defer { end() }
        defer { if mayAct() { act() } }
        if change.isPrior {
            if change.newValue != nil { findings.add("5 a prior call has no new value", name) }
            return
        }
        guard let new = change.newValue else { return findings.add("3 new is there", name) }
        guard let old = change.oldValue else {
            if !change.isInitial, isThroughout { findings.add("3 old is there", name) }
            // A registration beside a writer may read a value that the path has not noticed, so the next old value may be an older one.
            return state.with { state in
                state.first = state.first ?? new
                if isThroughout, !isOfStoredKey { state.last = new }
            }
        }
        state.with { state in
            state.changes += 1
            state.tell("\(old) to \(new)")
        }
        if isOfStoredKey {
            return state.with { $0.pairs[old] = new }
        }
        let last = state.with { state in
            defer { state.last = new }
            return state.last
        }
        if isChained, let last, old != last {
            findings.add(Findings.chain, "\(name): \(old) to \(new) after \(last), in \(story)")
        }
    }

    func terminated(_ reason: ObservationEndReason) {
        let (before, running) = state.with { state in
            state.terminations += 1
            return (state.terminations - 1, state.running.keys.contains { $0 != Self.thread })
        }
        if before > 0 { findings.add("49 onTermination once", "\(name): \(reason)") }
        if running { findings.add("49 onTermination after the last call", "\(name): \(reason)") }
    }

    // MARK: After everything has settled

    /// `true` if the last value is the property's, or none was due because the value before the registration is still there.
    func isSettled(at present: Int, knownAtRegistration known: Int?) -> Bool {
        state.with { state in
            (state.last ?? known ?? state.first) == present
        }
    }

    func checkLast(_ present: Int, known: Int?) {
        if !isSettled(at: present, knownAtRegistration: known) {
            findings.add(
                form == .change ? Findings.lastNew : "11a the last value is the property's",
                "\(name): \(last.map(String.init) ?? "none") for \(present), after \(story)")
        }
    }

    /// Checks a stored key that was observed throughout: one pair for each step from `start` to `end`.
    func checkPairs(from start: Int, to end: Int) {
        let pairs = state.with { $0.pairs }
        let missing = (start..<max(start, end)).filter { pairs[$0] != $0 + 1 }
        if !missing.isEmpty { findings.add("37 n writes are n calls", "\(name): without \(missing.prefix(3)) of \(start)..<\(end)") }
        if changes > end - start { findings.add("37 n writes are n calls", "\(name): \(changes) calls of \(end - start)") }
    }

    func checkMost(_ most: Int) {
        if changes > most { findings.add(Findings.mostCalls, "\(name): \(changes) of \(most), at last \(story)") }
    }

    func checkEnded() {
        if !isOver { findings.add("49 onTermination comes", name) }
    }
}
