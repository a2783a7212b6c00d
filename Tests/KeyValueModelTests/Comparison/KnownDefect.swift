import KeyValueModel

/// What the library is known to do wrong: the generator keeps out of the way of it, so that the rest can be compared.
///
/// When a defect is gone, `KnownDefectTests` fails; then its case goes, and with it what the generator does about it.
enum KnownDefect: String, CaseIterable, Sendable {
    /// Rule 25: who is the first to observe a key, and registers between will and did, hears of that change.
    case firstObserverBetweenWillAndDid
    /// Rules 5, 47: a plain pair around a batch gives two prior calls, the second without the old value that was asked for.
    case batchInsidePair
    /// Rule 47: a silent assignment after an announced change in a batch: the value form is told nothing at the end.
    case silentAssignmentInBatch
    /// Rule 47: announcements of different keys that nest in a batch: the old value told is that of the one that ends first.
    case nestedAnnouncementsInBatch

    /// The smallest program that shows it.
    var program: [Step] {
        func observe(_ id: Int, _ key: Key, _ options: Options = [.old, .new], _ form: Form = .change) -> Step {
            .observe(ModelObservation(id, 0, key, options, form: form))
        }
        switch self {
        case .firstObserverBetweenWillAndDid:
            return [.announce(Place(0, .a), [observe(1, .a), .assign(.a(0, 1))])]
        case .batchInsidePair:
            return [observe(1, .sum, [.prior, .old]), .pair(Place(0, .b), [.batch([.assign(.b(0, 1)), .assign(.b(0, 2))])])]
        case .silentAssignmentInBatch:
            return [observe(1, .quiet, [], .value), .batch([.announce(Place(0, .quiet), []), .assign(.quiet(0, 0))])]
        case .nestedAnnouncementsInBatch:
            return [observe(1, .sum), .batch([.announce(Place(0, .a), [.assign(.a(0, 5)), .assign(.b(0, 1))])])]
        }
    }

    /// Whether the generator keeps out of the way of a defect: to take a case away is to find every place where it does.
    static func avoids(_ defect: KnownDefect) -> Bool { true }
}
