/// What the list of a value's observers knows of who looks at the value: one for each place and way in which that is done.
final class PulledKey: ObserverListHook, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `drivers` belongs to `lock`.

    private struct Entry {
        weak var driver: PullDriver?
    }

    private let lock = Lock()
    /// Observations keep them.
    private var drivers: [Entry] = []
    /// Where the record is found, if the object does not keep it: it goes with the record.
    private let place: RecordPlace?

    init(place: RecordPlace?) {
        self.place = place
    }

    /// The first driver that matches.
    ///
    /// The match may run code of the program, so it is made outside the lock.
    func driver<Driver: PullDriver>(where matches: (Driver) -> Bool) -> Driver? {
        var present: [PullDriver] = []
        lock.withLock {
            drivers.removeAll { entry in
                guard let driver = entry.driver else { return true }
                // Let go of outside: this may be the last reference.
                present.append(driver)
                return false
            }
        }
        for case let driver as Driver in present where matches(driver) { return driver }
        return nil
    }

    /// The first driver that matches, or a new one.
    ///
    /// Two threads that both make one have one each.
    func driver<Driver: PullDriver>(where matches: (Driver) -> Bool, orMake make: () -> Driver) -> Driver {
        if let present = driver(where: matches) { return present }
        let made = make()
        lock.withLock { drivers.append(Entry(driver: made)) }
        return made
    }

    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        info.withExtras { $0.driver?.observationDidBegin() }
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        info.withExtras { $0.driver?.observationDidEnd() }
    }
}
