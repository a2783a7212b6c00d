internal import SafeKVO
internal import Synchronization

/// The orders to make or end one object's registrations with another key-value observing system, such as Cocoa's.
///
/// The other system does not allow two threads to register or unregister one object at the same time. So one thread carries out all orders,
/// also those that other threads add meanwhile. No thread waits.
struct RegistrationLedger {
    enum Order: Equatable {
        case add(UInt, key: String)
        case remove(UInt, key: String)
    }

    private var orders: [Order] = []
    private var present: [UInt: String] = [:]
    private var isBusy = false
    private var isClosed = false

    var numbers: [UInt] { present.keys.sorted() }

    // MARK: Giving orders

    // These functions only store an order to make or end a registration. If `add` or `remove` returns `true`, its caller must carry out all
    // stored orders, by calling `next()` until there are none.

    mutating func add(_ number: UInt, for key: String) -> Bool {
        if isClosed { return false }
        orders.append(.add(number, key: key))
        return takeTurn()
    }

    /// Queues an order to end a registration with the other system; one thread later carries out all queued orders.
    ///
    /// If the order to make that registration is still queued, only removes that order. If the result is `true`, the caller must carry out
    /// the queue.
    mutating func remove(_ number: UInt) -> Bool {
        if let index = orders.firstIndex(where: { if case .add(number, _) = $0 { true } else { false } }) {
            orders.remove(at: index)
            return false
        }
        guard let key = present[number], !orders.contains(.remove(number, key: key)) else { return false }
        orders.append(.remove(number, key: key))
        return takeTurn()
    }

    private mutating func takeTurn() -> Bool {
        defer { isBusy = true }
        return !isBusy
    }

    // MARK: Carrying out

    mutating func next() -> Order? {
        while !orders.isEmpty {
            let order = orders.removeFirst()
            switch order {
            case .add(let number, let key):
                present[number] = key
                return order
            case .remove(let number, _):
                if present.removeValue(forKey: number) != nil { return order }
            }
        }
        isBusy = false
        return nil
    }

    /// Drops all waiting orders to make or end registrations, because the object's deallocation ends all registrations.
    mutating func giveUp() {
        orders = []
        isBusy = false
    }

    /// Returns the registrations that the caller must end, because the object is being deallocated.
    ///
    /// From now on, no registration is made.
    mutating func close() -> [(number: UInt, key: String)] {
        isClosed = true
        orders = []
        defer { present = [:] }
        return present.sorted { $0.key < $1.key }.map { (number: $0.key, key: $0.value) }
    }
}

/// All registrations with other key-value observing systems, by number.
///
/// Unlike an address, a number is never reused. So a notification that arrives after the end of its registration is ignored.
package enum ForeignRegistrations {
    struct Target {
        let path: ForeignPath
        let hop: Int
    }

    /// One of 16 parts of the registrations, each with its own lock, so that threads seldom wait for each other.
    private final class Shard: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) `targets` is protected by `lock`.
        let lock = Lock()
        var targets: [UInt: Target] = [:]
    }

    private static let shards = (0..<16).map { _ in Shard() }
    private static let last = Atomic<UInt>(0)

    private static func shard(_ number: UInt) -> Shard { shards[Int(number % 16)] }

    private static func target(_ number: UInt) -> Target? {
        let shard = shard(number)
        return shard.lock.withLock { shard.targets[number] }
    }

    static func add(_ target: Target) -> UInt {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        let shard = shard(number)
        shard.lock.withLock { shard.targets[number] = target }
        return number
    }

    static func remove(_ number: UInt) {
        let shard = shard(number)
        // Keep the removed entry alive until the lock is released.
        withExtendedLifetime(shard.lock.withLock { shard.targets.removeValue(forKey: number) }) {}
    }

    package static func report(_ number: UInt, _ change: ForeignChange) {
        guard let target = target(number) else { return }
        target.path.take(change, number, at: target.hop)
    }

    static func didRegister(_ number: UInt) { target(number)?.path.didRegister(number) }

    static func name(of number: UInt) -> String { target(number)?.path.name.name ?? "nothing" }
}
