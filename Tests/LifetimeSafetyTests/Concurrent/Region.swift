import Dispatch
import Foundation
import SafeKVO
import Synchronization

/// State of one region, which nothing guards but the isolation of the region.
final class Region {
    /// Where the region's code runs.
    enum Place {
        case thread(UInt)
        case main
        /// An actor, which may run on any thread, on one at a time.
        case actor
    }

    let findings: Findings
    private let place: Place
    private let occupant = Atomic<UInt>(0)
    private var numbers: [Int] = []

    init(_ place: Place, _ findings: Findings) {
        (self.place, self.findings) = (place, findings)
    }

    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// `true` where the main actor runs, which need not be the main thread.
    private static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: key) ?? false }

    /// Uses what nothing guards.
    func use(_ what: StaticString) {
        switch place {
        case .thread(let thread): if Watch.thread != thread { findings.add("33, 40 in its isolation", "\(what), on another thread") }
        case .main: if !Self.isOnMainQueue { findings.add("33, 40 in its isolation", "\(what), not on the main actor") }
        case .actor: break
        }
        let before = enter(what)
        numbers.append(numbers.count)
        if numbers.count > 50 { numbers = [] }
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
