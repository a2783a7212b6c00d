public import BenchmarkKit

/// What the same things cost written by hand, with nothing between: no library can be faster.
public enum LimitSuite {
    /// A loop that sets a plain property.
    public static let plainSet = "limit: plain set"
    /// A loop that gets a plain property.
    public static let plainGet = "limit: plain get"
    /// A closure called by `didSet`.
    public static let closure = "limit: didSet + closure"
    /// A closure called by `didSet`, handed an observer that is held weakly.
    public static let weakObserver = "limit: didSet + closure + weak observer"
    /// The same, with the value, the observer and the closure under a lock that is not held during the call.
    public static let lockedObserver = "limit: didSet + closure + weak observer, under a lock"
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
            .loop(plainGet) {
                let plain = Plain()
                return { get(plain, passes: $0) }
            },
            .loop(closure) {
                let subject = ClosureSubject()
                let observer = LimitObserver()
                let step = opaque(1)
                subject.didChange = { observer.sum &+= $0 &* step }
                return { set(subject, passes: $0) &+ observer.sum }
            },
            .loop(weakObserver) {
                let (subject, observer) = observed()
                return { set(subject, passes: $0) &+ observer.sum }
            },
            .loop(lockedObserver) {
                let subject = LockedSubject()
                let observer = LimitObserver()
                let step = opaque(1)
                subject.observe(observer) { $0.sum &+= $1 &* step }
                return { set(subject, passes: $0) &+ observer.sum }
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
                let times = ThreadPair.run { work(passes: 100_000) }
                return times.wallRatio
            },
            .value(oneSubject, .nanoseconds, rounds: .max) {
                let subject = LockedSubject()
                let arrivals = Arrivals()
                let observer = LimitObserver()
                subject.observe(observer) { _, _ in arrivals.note() }
                return withExtendedLifetime(observer) { ThreadPair.eachOfTwo(passes: 100_000) { consume(set(subject, passes: $0)) } }
            },
        ] + collections + elsewhere
    }

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
        consume(set(subject, passes: passes / 8))
        return { set(subject, passes: passes) &+ observer.sum }
    }
}
