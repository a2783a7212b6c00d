import Dispatch
import SafeKVO
import Synchronization

/// State of one region, which nothing guards but the isolation of the region.
final class Region {
    /// The place where the region's code runs.
    enum Place: CustomStringConvertible {
        case thread(UInt)
        case main
        /// A queue with a number.
        case queue(Int)
        /// An actor, which may run on any thread, on one at a time.
        case actor

        var description: String {
            switch self {
            case .thread: "a thread"
            case .main: "the main actor"
            case .queue: "an actor with an executor"
            case .actor: "an actor"
            }
        }
    }

    let findings: Findings
    private let place: Place
    private let occupant = Atomic<UInt>(0)
    private var used: [Int] = []

    init(_ place: Place, _ findings: Findings) {
        (self.place, self.findings) = (place, findings)
        _ = Self.main
    }

    private static let key = DispatchSpecificKey<Int>()
    private static let numbers = Tally()
    private static let main = number(.main)

    /// Gives a queue a number that code can ask for which runs there.
    static func number(_ queue: DispatchQueue) -> Int {
        numbers.add()
        let number = numbers.total
        queue.setSpecific(key: key, value: number)
        return number
    }

    /// `true` if this thread runs code of the region, as far as that is known; the main actor need not run on the main thread.
    private var isHere: Bool {
        switch place {
        case .thread(let thread): Watch.thread == thread
        case .main: DispatchQueue.getSpecific(key: Self.key) == Self.main
        case .queue(let number): DispatchQueue.getSpecific(key: Self.key) == number
        case .actor: true
        }
    }

    /// Uses what nothing guards.
    func use(_ what: StaticString) {
        if !isHere { findings.add("33, 40 in its isolation", "\(what), elsewhere than in \(place)") }
        let before = enter(what)
        used.append(used.count)
        if used.count > 50 { used = [] }
        leave(before)
    }

    /// Notes which thread is in the region, until `leave(_:)` gets what this function returns.
    func enter(_ what: StaticString) -> UInt {
        let before = occupant.exchange(Watch.thread, ordering: .acquiringAndReleasing)
        if before != 0, before != Watch.thread { findings.add("33, 40 in its isolation", "\(what), beside another thread") }
        return before
    }

    func leave(_ before: UInt) { occupant.store(before, ordering: .releasing) }
}

/// Something that a handler keeps, and that must be let go in its region.
final class Canary {
    let region: Region
    private let life: Life

    init(_ region: Region, _ population: Population) {
        self.region = region
        life = Life("canary", population)
    }

    deinit { region.use("let go") }
}
