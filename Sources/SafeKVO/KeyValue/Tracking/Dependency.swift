/// A property, or what is announced by hand, that a tracked path depends on.
struct Dependency {
    let info: ObservationInfo
    /// Hears it before it changes, where `info`, which came first, does not.
    var priorInfo: ObservationInfo?
    /// The newest evaluation that read it.
    var lastRead: UInt64

    func end() {
        info.end(for: .removed)
        priorInfo?.end(for: .removed)
    }
}
