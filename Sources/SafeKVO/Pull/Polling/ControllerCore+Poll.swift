extension ControllerCore {
    /// Polls a value.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - keyPath: Which of its values.
    ///   - interval: How long to wait from one read to the next.
    ///   - clock: What time is told by.
    ///   - removing: Which values are the same.
    ///   - isolation: Where the caller is; nil if the value may be read anywhere.
    ///   - registration: What else the caller said.
    ///   - make: Makes the info.
    /// - Returns: what came of it.
    func poll<Object: AnyObject, Value, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock,
        removing: RemovingDuplicates<Value>, isolation: (any Actor)?, _ registration: consuming Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        guard interval > .zero else {
            ObservationDiagnostics.warn(
                .unusableClock, at: registration.position,
                """
                poll(_:_:every:clock:) of \(keyPath) was refused, because its interval is \(interval). Pass an interval that is longer \
                than zero.
                """)
            return registration.refused(.intervalNotPositive)
        }
        let interval = interval.atMostACentury
        typealias Driver = Poll<Object, Value, PollClock>
        return pull(object, keyPath, registration, make: make) { (driver: Driver) in
            driver.isPoll(every: interval, clock: clock, hasOwnComparison: !removing.isStandard, isolation: isolation)
        } orMake: { record, list in
            Driver(
                record, list, keyPath, every: interval, clock: clock, comparison: removing, hasOwnComparison: !removing.isStandard,
                isolation: isolation.map { PullIsolation($0) })
        }
    }
}
