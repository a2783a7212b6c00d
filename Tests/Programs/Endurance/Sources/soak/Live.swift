import Synchronization

/// The number of this program's own objects that are alive.
enum Live {
    private static let number = Atomic<Int>(0)

    static var count: Int { number.load(ordering: .relaxed) }

    static func add() { number.wrappingAdd(1, ordering: .relaxed) }

    static func remove() { number.wrappingSubtract(1, ordering: .relaxed) }
}

/// A value that counts as alive as long as the object that stores it.
struct Life: ~Copyable, Sendable {
    init() { Live.add() }

    deinit { Live.remove() }
}
