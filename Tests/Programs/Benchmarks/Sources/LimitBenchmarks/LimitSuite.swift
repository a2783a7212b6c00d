public import BenchmarkKit

/// What the same things cost written by hand, with nothing between: no library can be faster.
public enum LimitSuite {
    /// Sets a plain property of a final class that its module mutates nowhere in place.
    public static let plainSet = "limit: plain set"
    /// The same without a function of its own: the loop hides what is done once for all passes.
    public static let plainSetInLoop = "limit: plain set, in a loop"
    /// Sets a plain property that its module also mutates in place, so that each assignment is checked for exclusive access.
    public static let checkedSet = "limit: plain set, mutated in place elsewhere"
    /// Gets a plain property.
    public static let plainGet = "limit: plain get"
    /// The same without a function of its own.
    public static let plainGetInLoop = "limit: plain get, in a loop"
    /// A closure called by `didSet`.
    public static let closure = "limit: didSet + closure"
    /// A closure called by `didSet`, handed an observer that is held weakly.
    public static let weakObserver = "limit: didSet + closure + weak observer"
    /// The same, with the value, the observer and the closure under a lock that is not held during the call.
    public static let lockedObserver = "limit: didSet + closure + weak observer, under a lock"
    /// Sets a value under a lock.
    public static let locked = "limit: set a value under a lock"
    /// One of a hundred weak references, loaded in turn.
    public static let weakLoad = "limit: weak load, each of 100"
    /// The same, and a closure called with what was loaded.
    public static let weakLoadAndClosure = "limit: weak load + closure, each of 100"
    /// A class of five plain properties.
    public static let creation = "limit: create a plain object"
    /// Two threads set two subjects.
    public static let threads = "limit: two threads, two subjects"

    /// Two threads set one subject whose state is under a lock.
    public static let oneSubject = "limit: two threads, one subject under a lock: each set"

    /// All rows.
    public static var benchmarks: [Benchmark] {
        [
            .loop(plainSet) {
                let plain = Plain()
                return { set(plain, passes: $0) }
            },
            .loop(plainSetInLoop) {
                let plain = Plain()
                return { setInLoop(plain, passes: $0) }
            },
            .loop(checkedSet) {
                let plain = Plain()
                plain.mutateInPlace()
                return { setMutated(plain, passes: $0) }
            },
            .loop(plainGet) {
                let plain = Plain()
                return { get(plain, passes: $0) }
            },
            .loop(plainGetInLoop) {
                let plain = Plain()
                return { getInLoop(plain, passes: $0) }
            },
            .loop(closure) {
                let subject = ClosureSubject()
                let observer = LimitObserver()
                let step = opaque(1)
                subject.didChange = { observer.sum &+= $0 &* step }
                return { subject.set(passes: $0) &+ observer.sum }
            },
            .loop(weakObserver) {
                let (subject, observer) = observed()
                return { subject.set(passes: $0) &+ observer.sum }
            },
            .loop(lockedObserver) {
                let subject = LockedSubject()
                let observer = LimitObserver()
                let step = opaque(1)
                subject.observe(observer) { $0.sum &+= $1 &* step }
                return { subject.set(passes: $0) &+ observer.sum }
            },
            .loop(locked) {
                let subject = LockedNumber()
                return { subject.set(passes: $0) &+ subject.value }
            },
            .loop(weakLoad, parts: 100) {
                let observers = WeakObservers()
                return { observers.load(passes: $0) &+ observers.sum }
            },
            .loop(weakLoadAndClosure, parts: 100) {
                let observers = WeakObservers()
                return { observers.call(passes: $0) &+ observers.sum }
            },
            .loop(creation) { { create(passes: $0) } },
            .value(threads, .times, rounds: .max) {
                let times = Threads.run { work(passes: 100_000) }
                return times.wallRatio
            },
            .value(oneSubject, .nanoseconds, rounds: .max) {
                let subject = LockedSubject()
                let arrivals = Arrivals()
                let observer = LimitObserver()
                subject.observe(observer) { _, _ in arrivals.note() }
                return withExtendedLifetime(observer) { Threads.eachOfTwo(passes: 100_000) { consume(subject.set(passes: $0)) } }
            },
        ] + contention + collections + elsewhere + viewModel
    }

    /// Several threads set one subject whose state is under a lock.
    private static var contention: [Benchmark] {
        [1, 2, 4, 8].map { threads in
            .value("limit: " + Threads.rowName(threads, "write a value under a lock, 1 observer"), .nanoseconds, rounds: .max) {
                let (subject, arrivals, observer) = (LockedSubject(), Arrivals(), LimitObserver())
                subject.observe(observer) { _, _ in arrivals.note() }
                return withExtendedLifetime(observer) { Threads.each(of: threads) { { consume(subject.set(passes: $0)) } } }
            }
        }
    }

    /// The view model by hand.
    private static var viewModel: [Benchmark] { PlayerRows(HandPlayer.self).all { "limit: by hand: \($0.rawValue)" }.map(\.0) }

    private static func observed() -> (WeakSubject, LimitObserver) {
        let subject = WeakSubject()
        let observer = LimitObserver()
        let step = opaque(1)
        subject.observer = observer
        subject.didChange = { $0.sum &+= $1 &* step }
        return (subject, observer)
    }

    private static func work(passes: Int) -> () -> Int {
        let (subject, observer) = observed()
        consume(subject.set(passes: passes / 8))
        return { subject.set(passes: passes) &+ observer.sum }
    }
}
