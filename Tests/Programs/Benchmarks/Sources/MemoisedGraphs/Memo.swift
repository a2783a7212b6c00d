import SafeKVO

/// A value that is computed when it is read, kept, and computed again if something that it read has changed.
///
/// It observes its own computation with the option `.prior`. The call before a change makes it doubtful, and it announces a change of its
/// ``revision``, which makes its readers doubtful before anything is written. The call after the change compares. So nobody is told before
/// everybody knows what to doubt, and a reader of a doubtful memo makes it compute.
///
/// No class here is generic, for the same reason as among the signals.
class Memo: KeyValueObject {
    /// The memo that computes.
    private final class Running: @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) everything happens on one thread.
        static let now = Running()
        var memo: Memo?
    }

    /// The number of different values so far: readers follow it.
    @Observed private final var revision = 0
    /// The same number, which the memo itself reads.
    private(set) final var count = 0
    /// A change of it that nobody hears makes the library evaluate ``computed``.
    @Observed private final var need = 0

    private final var isFresh = false
    /// A reader has seen the present revision since the announcement began.
    private final var isSeen = false
    private final var announced = 0
    private final var announcement: ChangeAnnouncement<Memo, Int>?
    private final var sources: [MemoSource] = []
    private final var observations: ObservationController<Memo>?

    /// Computes; returns `true` if the value is another one.
    func run() -> Bool { false }

    /// Stands at the beginning of a read of the value.
    final func willRead() {
        refresh()
        isSeen = true
        let revision = revision
        Running.now.memo?.sources.append(.memo(self, revision))
    }

    /// Notes that the memo that computes has read a number.
    static func noteRead(_ number: Number, _ value: Int) { Running.now.memo?.sources.append(.number(number, value)) }

    /// Returns `true` if the value is not the one of a revision; for a reader that compares.
    final func hasChanged(since revision: Int) -> Bool {
        refresh()
        isSeen = true
        return self.revision != revision
    }

    private func refresh() {
        if isFresh { return }
        if observations != nil { return willChange(\.need).cancel() }
        let observations = ObservationController(observer: self)
        self.observations = observations
        observations.observe(self, \.computed, options: .prior) { memo, _, change in
            if change.isPrior { memo.doubt() } else { memo.settle() }
        }
        announced = count
    }

    /// The observed key: compares what was read, in its order, and computes if something differs.
    private var computed: Int {
        _ = need
        if !sources.isEmpty, !sources.contains(where: \.hasChanged) {
            isFresh = true
            return 0
        }
        sources.removeAll(keepingCapacity: true)
        let outer = Running.now.memo
        Running.now.memo = self
        let isOther = run()
        Running.now.memo = outer
        isFresh = true
        if isOther {
            count += 1
            revision = count
        }
        return 0
    }

    private func doubt() {
        guard isFresh else { return }
        isFresh = false
        // If the last announcement is open because the value stayed equal, those who have not looked since are doubtful still.
        if announcement != nil {
            guard isSeen else { return }
            announcement.take()?.cancel()
        }
        isSeen = false
        announcement = willChange(\.revision)
    }

    private func settle() {
        guard count != announced else { return }
        announced = count
        if let announcement = announcement.take() { announcement.didChange() } else { withChange(of: \.revision) {} }
    }
}

/// Something that a memo has read, and what it was then.
enum MemoSource {
    case number(Number, Int)
    case memo(Memo, Int)

    var hasChanged: Bool {
        switch self {
        case .number(let number, let value): number.number != value
        case .memo(let memo, let revision): memo.hasChanged(since: revision)
        }
    }
}
