/// A computation that somebody else keeps alive.
@safe
struct Unretained {
    // SAFETY: (of this file) an edge retains the source of a memo that runs, or the caller who reads it does. Fields that refer to an
    // object are freed by its `deinit`.
    private let reference: Unmanaged<Computation>

    init(_ computation: Computation) { unsafe reference = .passUnretained(computation) }

    @inline(__always)
    func run() -> Bool { unsafe reference._withUnsafeGuaranteedRef { $0.run() } }

    /// The same for what may release itself.
    func runRetained() -> Bool { unsafe reference.takeUnretainedValue().run() }
}
