import Foundation

/// Something that a mistaken program does with the public interface: safe code, with values that make no sense.
///
/// It is made on the main actor, because what any thread may change is observed on an actor.
struct Mistake: Sendable, CustomStringConvertible {
    let description: String
    let body: @MainActor @Sendable () async throws -> Void

    init(_ description: String, _ body: @escaping @MainActor @Sendable () async throws -> Void) {
        self.description = description
        self.body = body
    }
}

/// Mistakes that a program survives, and that are made one after the other in one process.
struct Mistakes: Sendable, CustomStringConvertible {
    let description: String
    let all: [Mistake]

    init(_ description: String, _ all: [Mistake]) {
        self.description = description
        self.all = all
    }

    /// Makes them, from one of them on, and leaves a trail, so that a crash tells where it happened.
    ///
    /// - Returns: whether all was as promised.
    func make(from first: Int, leaving trail: Trail) async -> Bool {
        Watchdog.start()
        var isGood = true
        for index in all.indices.dropFirst(first) {
            trail.begin(index)
            do {
                try await all[index].body()
            } catch {
                trail.complain("\(all[index]): \(error)")
                isGood = false
            }
        }
        trail.end()
        return isGood
    }
}

/// A mistake that ends the program, with a message that says what was wrong.
struct FatalMistake: Sendable, CustomStringConvertible {
    let description: String
    /// What the message names.
    let name: String
    let body: @MainActor @Sendable () async throws -> Void

    init(_ description: String, says name: String, _ body: @escaping @MainActor @Sendable () async throws -> Void) {
        self.description = description
        self.name = name
        self.body = body
    }
}

/// Ends a process that hangs: not a measure of anything.
enum Watchdog {
    private static let patience = ProcessInfo.processInfo.environment["SAFEKVO_LIFETIME_PATIENCE"].flatMap { UInt32($0) } ?? 120

    static func start() { alarm(patience) }
}
