internal import Synchronization

/// What the numbers stand for that registrations with other systems are made under.
///
/// A number is never used again. So what a system still tells of a registration that has ended reaches nobody, and no other object or observer
/// at the same address.
package enum ForeignRegistrations {
    struct Target {
        let path: ForeignPath
        /// Which key of the path.
        let hop: Int
    }

    /// One part of the table, so that threads seldom meet.
    private final class Shard: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) `targets` belongs to `lock`.
        let lock = Lock()
        var targets: [UInt: Target] = [:]
    }

    private static let shards = (0..<16).map { _ in Shard() }
    private static let last = Atomic<UInt>(0)

    /// A number for a registration.
    static func add(_ target: Target) -> UInt {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        let shard = shards[Int(number % 16)]
        shard.lock.withLock { shard.targets[number] = target }
        return number
    }

    /// Makes a number stand for nothing.
    static func remove(_ number: UInt) {
        let shard = shards[Int(number % 16)]
        // What was removed is released outside the lock.
        withExtendedLifetime(shard.lock.withLock { shard.targets.removeValue(forKey: number) }) {}
    }

    /// Takes note of a change, as a system tells it.
    ///
    /// - Parameters:
    ///   - number: The number of the registration.
    ///   - change: What was told.
    package static func report(_ number: UInt, _ change: ForeignChange) {
        let shard = shards[Int(number % 16)]
        guard let target = shard.lock.withLock({ shard.targets[number] }) else { return }
        target.path.take(change, number, at: target.hop)
    }

    /// Tells a path that a registration which it left to another thread has been made.
    static func didRegister(_ number: UInt) {
        let shard = shards[Int(number % 16)]
        guard let target = shard.lock.withLock({ shard.targets[number] }) else { return }
        target.path.didRegister(number)
    }

    /// The key path that a number stands for.
    static func name(of number: UInt) -> String {
        let shard = shards[Int(number % 16)]
        return shard.lock.withLock { shard.targets[number] }?.path.name.name ?? "nothing"
    }

    /// How many numbers stand for something.
    ///
    /// For the tests of this package, which want none left.
    package static var count: Int {
        shards.reduce(0) { sum, shard in sum + shard.lock.withLock { shard.targets.count } }
    }
}
