internal import SafeKVO
internal import Synchronization

/// A list of one object's registrations with Cocoa or another foreign KVO system, and of the orders to make or end some.
///
/// Such a system does not allow two threads to register or unregister one object at the same time. So one thread at a time
/// carries out the orders. It holds no lock meanwhile, because the calls may run code of the program. If other threads or that
/// code give orders, the working thread carries them out too, and nobody waits. The orders are carried out in sequence, so a
/// registration is never ended before it was made.
struct RegistrationLedger {
    enum Order: Equatable {
        case add(UInt, key: String)
        case remove(UInt, key: String)
    }

    private var orders: [Order] = []
    /// The keys of the registrations that the foreign KVO system has or is about to make, by registration number.
    private var present: [UInt: String] = [:]
    /// `true` while a thread carries out orders.
    private var isBusy = false
    private var isClosed = false

    /// The numbers of the present registrations, in the order in which they were added.
    var numbers: [UInt] { present.keys.sorted() }

    // MARK: Giving orders

    // These functions return `true` if the caller must carry out the waiting orders. Otherwise another thread carries them out, or
    // no order is needed.

    /// Adds an order to make a registration.
    mutating func add(_ number: UInt, for key: String) -> Bool {
        if isClosed { return false }
        orders.append(.add(number, key: key))
        return takeTurn()
    }

    /// Adds an order to end a registration.
    ///
    /// If the order to make the registration still waits, that order is removed instead.
    mutating func remove(_ number: UInt) -> Bool {
        if let index = orders.firstIndex(where: { if case .add(number, _) = $0 { true } else { false } }) {
            orders.remove(at: index)
            return false
        }
        guard let key = present[number], !orders.contains(.remove(number, key: key)) else { return false }
        orders.append(.remove(number, key: key))
        return takeTurn()
    }

    /// Makes the caller the thread that carries out the orders, unless another thread does so already.
    private mutating func takeTurn() -> Bool {
        defer { isBusy = true }
        return !isBusy
    }

    // MARK: Carrying out

    /// Removes and returns the next order; if there is none, ends the caller's turn and returns `nil`.
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

    /// Drops the remaining orders and ends the caller's turn, because the object is being deallocated.
    ///
    /// The deallocation ends the registrations.
    mutating func giveUp() {
        orders = []
        isBusy = false
    }

    /// Refuses all further orders.
    ///
    /// - Returns: The registrations that the caller must end, in the order in which they were added.
    mutating func close() -> [(number: UInt, key: String)] {
        isClosed = true
        orders = []
        defer { present = [:] }
        return present.sorted { $0.key < $1.key }.map { (number: $0.key, key: $0.value) }
    }
}

/// A table of all registrations with foreign KVO systems, by registration number.
///
/// The foreign system gets the number of a registration instead of an address. A number is never reused. If a notification
/// arrives after its registration has ended, the table has no entry, so the notification is ignored. An address could belong to
/// another object by then.
package enum ForeignRegistrations {
    struct Target {
        let path: ForeignPath
        /// The index, in the path, of the key that is registered.
        let hop: Int
    }

    /// One of 16 parts of the table, each with its own lock, so that threads seldom wait for each other.
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

    /// Adds a registration and returns its number.
    static func add(_ target: Target) -> UInt {
        let number = last.wrappingAdd(1, ordering: .relaxed).newValue
        let shard = shard(number)
        shard.lock.withLock { shard.targets[number] = target }
        return number
    }

    static func remove(_ number: UInt) {
        let shard = shard(number)
        // The removed entry is released here, after the lock.
        withExtendedLifetime(shard.lock.withLock { shard.targets.removeValue(forKey: number) }) {}
    }

    /// Passes a notification of the foreign KVO system to the key path that registered for it.
    ///
    /// - Parameters:
    ///   - number: The number of the registration.
    ///   - change: The change that the foreign KVO system reports.
    package static func report(_ number: UInt, _ change: ForeignChange) {
        guard let target = target(number) else { return }
        target.path.take(change, number, at: target.hop)
    }

    /// Calls `didRegister` of the path to which a registration belongs.
    static func didRegister(_ number: UInt) { target(number)?.path.didRegister(number) }

    /// Returns the name of a registration's key path.
    static func name(of number: UInt) -> String { target(number)?.path.name.name ?? "nothing" }
}
