@_spi(SwiftUI) internal import Observation

// The part of Swift 6.4's Observation that the library uses, on the registrars of the standard library that is here.
//
// `.ci/next-observation.sh` compiles this file into the module SafeKVO. Declarations and behavior are those of SE-0506: the closure runs on
// the thread that makes the change, after it, and until it has returned the tracked read reports further changes, too. Not here: reports of
// a change that is made during the tracked read, `.willSet` and `.deinit`.

extension ObservationTracking {
    struct Options: Sendable {
        static var didSet: Options { Options() }
    }

    struct Event: ~Copyable {
        struct Kind: Equatable, Sendable {
            static var didSet: Kind { Kind() }
        }

        var kind: Kind { .didSet }
        fileprivate let tracking: ObservationTracking

        func matches(_ keyPath: PartialKeyPath<some Observable>) -> Bool { tracking.changed == keyPath }
        func cancel() { tracking.cancel() }
    }
}

func withObservationTracking<Result: ~Copyable, Failure: Error>(
    options: ObservationTracking.Options, _ apply: () throws(Failure) -> Result,
    onChange: @escaping @Sendable (borrowing ObservationTracking.Event) -> Void
) throws(Failure) -> Result {
    // The function of the standard library throws nothing and returns copies.
    var outcome: Swift.Result<Result, Failure>?
    withObservationTracking {
        do throws(Failure) { outcome = .success(try apply()) } catch { outcome = .failure(error) }
    } didSet: { tracking in
        onChange(ObservationTracking.Event(tracking: tracking))
        tracking.cancel()
    }
    guard let result = outcome.take() else { preconditionFailure("The standard library has not read the value") }
    return try result.get()
}
