/// Which registrations another system has for one object, and which are still to be made or ended.
///
/// One thread at a time carries orders out: such systems do not survive two at one object. It holds no lock meanwhile, because what it calls may
/// run the program's code; orders given by that code, or on other threads, wait until it has returned. So nothing is ever ended before its
/// beginning is over.
struct RegistrationLedger {
    enum Order: Equatable {
        case add(UInt, key: String)
        case remove(UInt, key: String)
    }

    /// What remains to be done by whoever gave an order.
    enum Share {
        /// To carry out what waits.
        case carryOut
        /// To wait until another thread has carried the order out.
        case wait
        /// Nothing.
        case nothing
    }

    private var orders: [Order] = []
    /// What the system has, or is being told.
    private var present: [UInt: String] = [:]
    /// What is being added right now.
    private var beingAdded: UInt?
    /// The thread that carries orders out, if one does.
    private var worker: UInt?
    private var isClosed = false

    /// What the system has, in the order in which it was added.
    var numbers: [UInt] { present.keys.sorted() }

    // MARK: Giving orders

    /// Orders a registration.
    mutating func add(_ number: UInt, for key: String, on thread: UInt) -> Share {
        if isClosed { return .nothing }
        orders.append(.add(number, key: key))
        return takeTurn(thread) ?? .wait
    }

    /// Orders the end of a registration, or takes the order for its beginning back.
    mutating func remove(_ number: UInt, on thread: UInt) -> Share {
        if let index = orders.firstIndex(where: { if case .add(number, _) = $0 { true } else { false } }) {
            orders.remove(at: index)
            return .nothing
        }
        guard let key = present[number], !orders.contains(.remove(number, key: key)) else { return .nothing }
        orders.append(.remove(number, key: key))
        return takeTurn(thread) ?? .nothing
    }

    /// Makes a thread the one that carries out, if there is none; nil if another thread does.
    private mutating func takeTurn(_ thread: UInt) -> Share? {
        guard let worker else {
            self.worker = thread
            return .carryOut
        }
        return worker == thread ? .nothing : nil
    }

    /// Whether an ordered registration is not yet made.
    func isPending(_ number: UInt) -> Bool {
        beingAdded == number || orders.contains { if case .add(number, _) = $0 { true } else { false } }
    }

    // MARK: Carrying out

    /// What to do next; nil when there is nothing left, and the turn is over.
    mutating func next() -> Order? {
        beingAdded = nil
        while !orders.isEmpty {
            let order = orders.removeFirst()
            switch order {
            case .add(let number, let key):
                present[number] = key
                beingAdded = number
                return order
            case .remove(let number, _):
                if present.removeValue(forKey: number) != nil { return order }
            }
        }
        worker = nil
        return nil
    }

    /// Ends the turn because the object is being destroyed: what is to be removed is left to its end.
    mutating func giveUp() {
        orders = []
        beingAdded = nil
        worker = nil
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
