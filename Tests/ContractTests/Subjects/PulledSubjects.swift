import Observation
import SafeKVOTesting
import Synchronization

@testable import SafeKVO

/// A contract subject whose value is looked at when the test says so: what it causes is found at once.
protocol PulledContractSubject: ContractSubject {
    associatedtype Driver: ValueDriver<Self, Int>

    static var contractKeyPath: KeyPath<Self, Int> { get }

    /// Looks.
    static func look(_ driver: Driver)
}

extension PulledContractSubject {
    static func unobserve<Observer>(_ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?) -> Int {
        observations.unobserve(subject, contractKeyPath, tag: tag)
    }

    static func unobserveAll<Observer>(of subject: Self?, with observations: ObservationController<Observer>) -> Int {
        observations.unobserve(subject)
    }

    /// Looks, also in `deinit`, where nobody but the library may find out that the subject is going.
    func look(in record: ObservationRecord?) {
        let key = unsafe record?.pulledList(spelled: Self.contractKeyPath)?.object.hook as? PulledKey
        let driver: Driver? = key?.driver { _ in true }
        if let driver { Self.look(driver) }
    }
}

extension PulledContractSubject where Driver == Poll<Self, Int, SteppedClock> {
    static func look(_ driver: Driver) { driver.look() }

    static func observe<Observer: Sendable>(
        _ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, handler: @escaping @Sendable (Observer, Int) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) -> ObservationResult {
        let registration = Registration(.closure, .value(false), tag, ifAlreadyObserved, nil, #fileID, #line, onTermination)
        return observations.core.poll(
            subject, contractKeyPath, every: .seconds(1), clock: PolledSubject.clock, removing: .duplicates, isolation: nil, registration,
            make: { HandlerInfo(value: $0, handler) })
    }
}

extension PulledContractSubject where Driver == Tracker<Self, Int>, Self: ActorOwner {
    static func look(_ driver: Driver) { driver.settle() }

    static func observe<Observer: Sendable>(
        _ subject: Self?, with observations: ObservationController<Observer>, tag: ObservationTag?,
        ifAlreadyObserved: RepeatedObservation, handler: @escaping @Sendable (Observer, Int) -> Void,
        onTermination: (@Sendable (ObservationEndReason) -> Void)?
    ) -> ObservationResult {
        let registration = Registration(.closure, .new, tag, ifAlreadyObserved, nil, #fileID, #line, onTermination)
        return observations.core.track(subject, contractKeyPath, registration, isolation: subject?.actor) { parts in
            SubjectHandlerInfo<Observer, Self, KeyValueChange<Int>>(change: parts) { observer, _, change in
                if let number = change.newValue { handler(observer, number) }
            }
        }
    }
}

/// An object of any class, with a plain property.
final class PolledSubject: PulledContractSubject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) one thread at a time uses it.

    typealias Driver = Poll<PolledSubject, Int, SteppedClock>

    static let clock = SteppedClock()
    static var contractKeyPath: KeyPath<PolledSubject, Int> { \.value }

    var value = 0

    func cause(_ number: Int) {
        value = number
        look(in: PulledRecords.shared.record(at: ObjectIdentifier(self)))
    }

    deinit { look(in: PulledRecords.shared.record(at: ObjectIdentifier(self))) }
}

/// A plain property of an object that has observed ones.
final class PolledPropertySubject: KeyValueObject, PulledContractSubject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) one thread at a time uses it.

    typealias Driver = Poll<PolledPropertySubject, Int, SteppedClock>

    static var contractKeyPath: KeyPath<PolledPropertySubject, Int> { \.value }

    @Observed var other = 0
    var value = 0

    override required init() {}

    func cause(_ number: Int) {
        value = number
        look(in: keyValueRegistrar.observers.record)
    }
}

/// A subject with an actor to whose isolation no thread belongs: what is to be done there never is.
protocol ActorOwner {
    var actor: IdleActor { get }
}

/// An actor that never comes to anything.
actor IdleActor {
    private final class Executor: SerialExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobs.withLock { $0.append(job) }
        }

        private let jobs = Mutex<[UnownedJob]>([])

        /// Does what is left, when nothing comes of it any more.
        func finish() {
            while true {
                let next = jobs.withLock { $0.isEmpty ? [] : [$0.removeFirst()] }
                guard let job = next.first else { return }
                unsafe job.runSynchronously(on: asUnownedSerialExecutor())
            }
        }
    }

    private let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    nonisolated func finish() { executor.finish() }
}

/// An object of Swift's `@Observable`.
@Observable final class ObservableSwiftSubject: PulledContractSubject, ActorOwner, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) one thread at a time uses it.

    typealias Driver = Tracker<ObservableSwiftSubject, Int>

    static var contractKeyPath: KeyPath<ObservableSwiftSubject, Int> { \.value }

    @ObservationIgnored let actor = IdleActor()
    var value = 0

    init() {}

    func cause(_ number: Int) {
        value = number
        look(in: PulledRecords.shared.record(at: ObjectIdentifier(self)))
    }

    deinit {
        look(in: PulledRecords.shared.record(at: ObjectIdentifier(self)))
        actor.finish()
    }
}

/// A computed value that reads another object of Swift's `@Observable`.
final class DerivedSwiftSubject: PulledContractSubject, ActorOwner, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) one thread at a time uses it.

    typealias Driver = Tracker<DerivedSwiftSubject, Int>

    @Observable final class Inner { var half = 0 }

    static var contractKeyPath: KeyPath<DerivedSwiftSubject, Int> { \.value }

    let actor = IdleActor()
    let inner = Inner()
    var value: Int { inner.half / 2 }

    func cause(_ number: Int) {
        inner.half = number * 2
        look(in: PulledRecords.shared.record(at: ObjectIdentifier(self)))
    }

    deinit {
        look(in: PulledRecords.shared.record(at: ObjectIdentifier(self)))
        actor.finish()
    }
}
