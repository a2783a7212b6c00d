import Foundation
import SafeKVO

@testable import SafeKVOFoundation

/// Threads that observe, post and remove, in steps that may be interleaved in any way, over a Foundation that takes a snapshot for each post.
struct RelaySimulation {
    private struct Observer {
        let name: Notification.Name?
        /// Whether it is counted in when it is in its list, and not before.
        let countsLate: Bool
        var serial: UInt64 = 0
        var isOwed = false
        var isLinked = false
    }

    private struct Token {
        let id: Int
        let request: RelayPlan<Int>.Request
    }

    private enum Thread {
        case observe(Int, step: Int, Token?)
        case unobserve(Int, step: Int, [Int])
        case post(Notification.Name, [Token], owed: Set<Int>, heard: [Int], thread: UInt, callsNameFirst: Bool)
    }

    private static let names = [Notification.Name("a"), Notification.Name("b")]

    private var random: SeededGenerator
    private var plan = RelayPlan<Int>()
    private var registered: [Token] = []
    private var removed: Set<Int> = []
    private var observers: [Observer] = []
    private var serial: UInt64 = 0
    private var tokenCount = 0
    private var threads: [Thread] = []
    private var failures: [String] = []
    private var toStart = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Runs some threads to their ends.
    ///
    /// - Returns: what went wrong.
    mutating func run() -> [String] {
        toStart = 60
        while toStart > 0 || !threads.isEmpty {
            if toStart > 0, threads.isEmpty || threads.count < 5 && Int.random(in: 0..<3, using: &random) == 0 {
                toStart -= 1
                start()
            } else {
                let index = threads.indices.randomElement(using: &random) ?? 0
                if let next = step(threads[index]) { threads[index] = next } else { threads.remove(at: index) }
            }
        }
        for index in observers.indices where observers[index].isOwed {
            threads.append(.unobserve(index, step: 0, []))
            observers[index].isOwed = false
        }
        while let thread = threads.popLast() { if let next = step(thread) { threads.append(next) } }
        if !registered.isEmpty { failures.append("\(registered.count) registrations are left") }
        return failures
    }

    private mutating func start() {
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
            let name = Int.random(in: 0..<3, using: &random) == 0 ? nil : Self.names.randomElement(using: &random)
            observers.append(Observer(name: name, countsLate: name == nil && Bool.random(using: &random)))
            threads.append(.observe(observers.count - 1, step: 0, nil))
        case 2:
            guard let index = observers.indices.filter({ observers[$0].isOwed }).randomElement(using: &random) else { return }
            observers[index].isOwed = false
            threads.append(.unobserve(index, step: 0, []))
        default:
            guard let name = Self.names.randomElement(using: &random) else { return }
            // Any order among equals.
            let tokens = registered.shuffled(using: &random)
            let (every, named) = (tokens.filter { $0.request.name == nil }, tokens.filter { $0.request.name == name })
            let callsNameFirst = Bool.random(using: &random)
            let snapshot = callsNameFirst ? named + every : every + named
            let owed = observers.indices.filter { observers[$0].isOwed && (observers[$0].name ?? name) == name }
            let thread = UInt(tokenCount * 1000 + toStart)
            threads.append(.post(name, snapshot, owed: Set(owed), heard: [], thread: thread, callsNameFirst: callsNameFirst))
        }
    }

    /// Takes one step.
    ///
    /// - Returns: the rest; nil at the end.
    private mutating func step(_ thread: Thread) -> Thread? {
        switch thread {
        case .observe(let index, let step, let token): return observe(index, step, token)
        case .unobserve(let index, let step, let tokens): return unobserve(index, step, tokens)
        case .post(let name, let tokens, let owed, let heard, let thread, let callsNameFirst):
            return post(name, tokens, owed, heard, thread, callsNameFirst)
        }
    }

    private mutating func observe(_ index: Int, _ step: Int, _ token: Token?) -> Thread? {
        let linksFirst = observers[index].countsLate
        switch step {
        case 0:
            if linksFirst { link(index) }
            return .observe(index, step: 1, nil)
        case 1:
            if linksFirst { plan.noteArrival() }
            guard let request = plan.add(observers[index].name) else { return .observe(index, step: 4, nil) }
            tokenCount += 1
            return .observe(index, step: 2, Token(id: tokenCount, request: request))
        case 2:
            if let token { registered.append(token) }
            return .observe(index, step: 3, token)
        case 3:
            guard let token else { return nil }
            switch plan.register(token.id, for: token.request, serial: serial) {
            case .current: return .observe(index, step: 4, nil)
            case .superfluous:
                remove(token.id)
                return .observe(index, step: 4, nil)
            case .outdated(let request):
                remove(token.id)
                tokenCount += 1
                return .observe(index, step: 2, Token(id: tokenCount, request: request))
            }
        case 4:
            if !linksFirst { link(index) }
            return .observe(index, step: 5, nil)
        default:
            if !linksFirst, observers[index].name == nil { plan.noteArrival() }
            observers[index].isOwed = true
            return nil
        }
    }

    private mutating func link(_ index: Int) {
        serial += 1
        observers[index].serial = serial
        observers[index].isLinked = true
    }

    private mutating func unobserve(_ index: Int, _ step: Int, _ tokens: [Int]) -> Thread? {
        switch step {
        case 0:
            observers[index].isLinked = false
            return .unobserve(index, step: 1, [])
        case 1: return .unobserve(index, step: 2, plan.remove(observers[index].name))
        default:
            guard let token = tokens.first else { return nil }
            remove(token)
            return .unobserve(index, step: 2, Array(tokens.dropFirst()))
        }
    }

    private mutating func remove(_ token: Int) {
        if !removed.insert(token).inserted { failures.append("token \(token) is removed twice") }
        registered.removeAll { $0.id == token }
    }

    private mutating func post(
        _ name: Notification.Name, _ tokens: [Token], _ owed: Set<Int>, _ heard: [Int], _ thread: UInt, _ callsNameFirst: Bool
    ) -> Thread? {
        guard let token = tokens.first else {
            if Set(heard).count != heard.count { failures.append("\(heard) is heard twice") }
            // Who is counted in late may miss its place in the order, if the last other observer of every name goes at that moment.
            let ordered = heard.filter { !observers[$0].countsLate }
            let sorted = ordered.sorted { observers[$0].serial < observers[$1].serial }
            if ordered != sorted { failures.append("\(heard) is out of order") }
            for index in owed where observers[index].isOwed && !heard.contains(index) { failures.append("\(index) is lost") }
            return nil
        }
        var heard = heard
        if let audience = plan.audience(of: token.request, for: name, serial: serial, thread: thread, callsNameFirst: callsNameFirst) {
            let served = observers.indices.filter { serves(audience, $0, name) }
            heard += served.sorted { observers[$0].serial < observers[$1].serial }
            if !callsNameFirst { plan.didServe(token.request, name, serial: serial, thread: thread) }
        }
        let rest = Array(tokens.dropFirst())
        return .post(name, rest, owed: owed, heard: heard, thread: thread, callsNameFirst: callsNameFirst)
    }

    private func serves(_ audience: TopicAudience, _ index: Int, _ name: Notification.Name) -> Bool {
        let observer = observers[index]
        guard observer.isLinked, (observer.name ?? name) == name else { return false }
        switch audience {
        case .everybody: return true
        case .named(let boundary, let present):
            return observer.serial <= present && (observer.name != nil || observer.serial > boundary)
        case .everyName(let boundary, let present):
            return observer.name == nil && observer.serial <= min(boundary, present)
        }
    }
}
