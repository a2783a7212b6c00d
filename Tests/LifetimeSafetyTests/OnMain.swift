import TestSupport

/// An object that must be released on the main actor, and tells its release.
final class OnMain {
    let wasReleased: Flag
    init(_ flag: Flag) { wasReleased = flag }
    deinit {
        MainActor.preconditionIsolated()
        wasReleased.set()
    }
}
