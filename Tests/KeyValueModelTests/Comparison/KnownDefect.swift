import KeyValueModel

/// What the library is known to do wrong: the generator keeps out of the way of it, so that the rest can be compared.
///
/// When a defect is gone, `KnownDefectTests` fails; then its case goes, and with it what the generator does about it.
enum KnownDefect: String, CaseIterable, Sendable {
    /// Rule 25: who is the first to observe a key, and registers inside a plain pair, hears an assignment there. To know better, a will call
    /// would have to leave something behind where nobody observes, which a forgotten did call would leave for good (rule 24).
    case firstObserverInPlainPair

    /// The smallest program that shows it.
    var program: [Step] {
        func observe(_ id: Int, _ key: Key, _ options: Options = [.old, .new], _ form: Form = .change) -> Step {
            .observe(ModelObservation(id, 0, key, options, form: form))
        }
        switch self {
        case .firstObserverInPlainPair:
            return [.pair(Place(0, .a), [observe(1, .a), .assign(.a(0, 1))])]
        }
    }

    /// Whether the generator keeps out of the way of a defect: to take a case away is to find every place where it does.
    static func avoids(_ defect: KnownDefect) -> Bool { true }
}
