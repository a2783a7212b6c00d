/// Functions that observe values which send no change notifications.
///
/// A *driver* checks such a value for changes and notifies its observers. Several observations may share one driver.
extension ControllerCore {
    /// Observes a value that sends no change notifications.
    ///
    /// The caller must run in the isolation in which the value may be read. The handler is called in the same isolation.
    private func pull<Object: AnyObject, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ registration: consuming Registration, make: InfoParts.Maker,
        driver: (PulledKey, ObservationRecord, ObserverList) -> ValueDriver<Object, Value>
    ) -> ObservationResult {
        observe(object, registration, make: make) { object.map { PulledTarget(of: $0, keyPath, registration, driver: driver) } }
    }

    @usableFromInline
    func unpull(_ object: AnyObject?, _ keyPath: AnyKeyPath, tag: ObservationTag?) -> Int {
        let record = object.flatMap { PulledRecords.shared.existingRecords(of: $0).first }
        return withExtendedLifetime(record) { unobserve(list: record?.pulledList(spelled: keyPath), tag: tag) }
    }
}

final class PulledTarget<Object: AnyObject, Value>: ObservationTarget {
    private let object: Object
    private let typedKeyPath: KeyPath<Object, Value>
    private let observers: ObserverList
    private let reader: ValueDriver<Object, Value>

    init(
        of object: Object, _ keyPath: KeyPath<Object, Value>, _ registration: borrowing Registration,
        driver: (PulledKey, ObservationRecord, ObserverList) -> ValueDriver<Object, Value>
    ) {
        let (record, list) = PulledRecords.shared.list(of: object, keyPath)
        guard let key = list.hook as? PulledKey else {
            preconditionFailure("Internal error of SafeKVO: a list has no drivers. Please report it.")
        }
        self.object = object
        typedKeyPath = keyPath
        observers = list
        reader = driver(key, record, list)
        // `reader` checks the value for changes, for example by polling. Count the registration before `prepare` reads the present value,
        // because a `reader` without observations does not keep that value.
        reader.observationDidBegin()
        reader.prepare(object, keepsOldValue: !registration.flags.isDisjoint(with: [.oldValue, .comparesValues]))
        if reader.isSilent {
            let position = registration.position
            ObservationDiagnostics.warnOnce(
                .nothingObservable, at: position,
                """
                The observation of `\(list.qualifiedName)` at \(position) gets no changes, because the key path reads no property of an `@Observable` \
                object. Use `poll(_:_:every:)` instead, or make the class `@Observable`.
                """)
        }
    }

    var keyPath: AnyKeyPath? { typedKeyPath }

    var driver: ObservationDriver? { reader }

    var list: Unretained<ObserverList> { Unretained(observers) }

    func registrationDidEnd() { reader.observationDidEnd() }

    func deliverPresent(to info: ObservationInfo) {
        var event = KeyValueEvent(subject: object, phase: .initial, new: reader.initialValue(of: object), old: nil)
        event.deliver(toStarting: info)
    }
}

extension ControllerCore {
    @usableFromInline
    func track<Object: AnyObject, Value>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, _ registration: consuming Registration,
        isolation: (any Actor)?, make: InfoParts.Maker
    ) -> ObservationResult {
        let isolation = isolation.map { HandlerIsolation.of($0) }
        registration.offersNoPriorCalls = isolation == nil
        return pull(object, keyPath, registration, make: make) { key, record, list in
            key.driver(where: { $0.isIsolation(isolation) }, orMake: Tracker(record, list, keyPath, isolation: isolation))
        }
    }

    /// Observes a value by reading it at an interval, in `isolation` or, if `isolation` is `nil`, on any thread.
    @usableFromInline
    func poll<Object: AnyObject, Value, PollClock: Clock>(
        _ object: Object?, _ keyPath: KeyPath<Object, Value>, every interval: PollClock.Duration, clock: PollClock,
        removing: RemovingDuplicates<Value>, isolation: (any Actor)?, _ registration: consuming Registration, make: InfoParts.Maker
    ) -> ObservationResult {
        guard interval > .zero else { return registration.refused(.intervalNotPositive, of: object) }
        registration.function = "poll"
        let (interval, isolation) = (interval.atMostACentury, isolation.map { HandlerIsolation.of($0) })
        return pull(object, keyPath, registration, make: make) { key, record, list in
            key.driver(
                where: { $0.isPoll(every: interval, clock: clock, comparison: removing, isolation: isolation) },
                orMake: Poll(record, list, keyPath, every: interval, clock: clock, comparison: removing, isolation: isolation))
        }
    }
}
