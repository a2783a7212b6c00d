internal import Synchronization

/// A hold on one observation, to end it.
final class ObservationHandle: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything belongs to `lock`.

    /// What keeps the observation apart from all others.
    let tag = ObservationTag(sequence: count.wrappingAdd(1, ordering: .relaxed).newValue)
    private static let count = Atomic<UInt>(0)

    private let lock = Lock()
    private var info: ObservationInfo?
    private var isOver = false

    /// The observation was made.
    func begin(_ info: ObservationInfo) {
        let isOver = lock.withLock {
            if !self.isOver { self.info = info }
            return self.isOver
        }
        if isOver { info.end(for: .removed) }
    }

    /// Ends the observation, or sees to it that it ends as soon as it is made.
    func end() {
        let info = lock.withLock {
            isOver = true
            return self.info.take()
        }
        info?.end(for: .removed)
    }
}
