internal import SafeKVO
internal import Synchronization

/// Which registrations another system has for one object, and which are still to be made or ended.
///
/// One thread at a time carries orders out: such systems do not survive two at one object. It holds no lock meanwhile, because what it calls may
/// run the program's code. Orders given by that code, or on other threads, are left to that thread, and nobody waits until it has come to them. So
/// nothing is ever ended before its beginning is over.
struct RegistrationLedger {
    enum Order: Equatable {
        case add(UInt, key: String)
        case remove(UInt, key: String)
    }

    /// What remains to be done by whoever gave an order.
    enum Share {
        /// To carry out what waits.
        case carryOut
        /// Nothing: whoever is carrying out orders carries out this one too.
        case nothing
    }

    private var orders: [Order] = []
    /// What the system has, or is being told.
    private var present: [UInt: String] = [:]
    /// `true` while a thread carries orders out.
    private var isBusy = false
    private var isClosed = false

    /// What the system has, in the order in which it was added.
    var numbers: [UInt] { present.keys.sorted() }

    // MARK: Giving orders

    /// Orders a registration.
    mutating func add(_ number: UInt, for key: String) -> Share {
        if isClosed { return .nothing }
        orders.append(.add(number, key: key))
        return takeTurn()
    }

    /// Orders the end of a registration, or takes the order for its beginning back.
    mutating func remove(_ number: UInt) -> Share {
        if let index = orders.firstIndex(where: { if case .add(number, _) = $0 { true } else { false } }) {
            orders.remove(at: index)
            return .nothing
        }
        guard let key = present[number], !orders.contains(.remove(number, key: key)) else { return .nothing }
        orders.append(.remove(number, key: key))
        return takeTurn()
    }

    /// Makes the caller the one that carries out, if there is none.
    private mutating func takeTurn() -> Share {
        if isBusy { return .nothing }
        isBusy = true
        return .carryOut
    }

    // MARK: Carrying out

    /// What to do next; nil when there is nothing left, and the turn is over.
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

    /// Ends the turn because the object is being destroyed: what is to be removed is left to its end.
    mutating func giveUp() {
        orders = []
        isBusy = false
    }

    /// Takes no order from now on.
    ///
    /// - Returns: what the system has, in the order in which it was added.
    mutating func close() -> [(number: UInt, key: String)] {
        isClosed = true
        orders = []
        defer { present = [:] }
        return present.sorted { $0.key < $1.key }.map { (number: $0.key, key: $0.value) }
    }
}

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
