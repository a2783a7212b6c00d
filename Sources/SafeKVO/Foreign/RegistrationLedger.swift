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
