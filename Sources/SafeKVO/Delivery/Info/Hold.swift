/// The objects of an observation that has ended where they must not be released.
///
/// The set of the controller keeps the hold until a call of the controller, or its end, lets go of it.
final class Hold: Ended {
    private let info: ObservationInfo?
    private var driver: ObservationDriver?
    private var contents: [Any?]
    /// The next hold in the set.
    fileprivate var next: Hold?

    /// - Parameters:
    ///   - info: The observation; `nil` if the observed object is dead, whose memory the observation would keep.
    ///   - driver: The object that has checked the value for changes.
    ///   - contents: What else must be let go of.
    init(of info: ObservationInfo?, driver: ObservationDriver?, _ contents: [Any?]) {
        (self.info, self.driver, self.contents) = (info, driver, contents)
    }

    func letGo() {
        info?.willLetGo()
        driver.take()?.observationDidEnd()
        contents = []
    }
}

/// The holds that wait in the set of a controller.
struct WaitingHolds: ~Copyable {
    private var first: Hold?

    var count: Int {
        guard let first else { return 0 }
        return sequence(first: first, next: \.next).reduce(0) { count, _ in count + 1 }
    }

    mutating func add(_ hold: Hold) {
        hold.next = first
        first = hold
    }

    /// Empties this value, and returns what it has contained.
    mutating func take() -> WaitingHolds { WaitingHolds(first: first.take()) }

    /// Lets go of all holds; the caller holds no lock.
    @inline(__always)
    consuming func letGo() { if let first { Self.letGo(of: first) } }

    @inline(never)
    private static func letGo(of first: Hold) {
        var next: Hold? = first
        while let hold = next {
            next = hold.next.take()
            EndQueue.run(hold)
        }
    }
}
