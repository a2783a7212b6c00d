internal import Synchronization

/// One reading of a value under Swift's tracking, which says once that something it read is about to change.
///
/// The registrars of what was read hold it. When they are gone before that, so is this, and then it is said too.
final class TrackingToken: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) `owner` is taken out by whoever sets `isOver`, and by nobody else.

    /// Whom to tell.
    ///
    /// Taken out at once: a registrar lets go of this under its lock, where nothing of the program's may be released.
    private var owner: (any TrackingOwner)?
    private let reading: UInt64
    private let isOver = Atomic<Bool>(false)
    /// Whether anything was read that can change.
    private(set) var isArmed = false

    init(_ owner: any TrackingOwner, reading: UInt64) {
        self.owner = owner
        self.reading = reading
    }

    deinit {
        guard isArmed, let owner = takeOwner() else { return }
        // A registrar lets go of this under its lock: the rest is done elsewhere.
        owner.trackedObjectsDidDie(reading)
    }

    /// What the registrars of what was read are to call.
    func arm() -> @Sendable () -> Void {
        isArmed = true
        return { self.changeWillCome() }
    }

    private func changeWillCome() {
        takeOwner()?.changeWillCome(reading)
    }

    private func takeOwner() -> (any TrackingOwner)? {
        if isOver.exchange(true, ordering: .acquiringAndReleasing) { return nil }
        return owner.take()
    }
}
