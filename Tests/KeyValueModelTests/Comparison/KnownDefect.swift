import KeyValueModel

/// What the library is known to do wrong: the generator keeps out of the way of it, so that the rest can be compared.
///
/// When a defect is gone, `KnownDefectTests` fails; then its case goes, and with it what the generator does about it.
enum KnownDefect: String, CaseIterable, Sendable {
    /// Rule 18: a chain whose collection is declared in a superclass of the class that the hop names loses kind and indexes,
    /// also if it is edited through a proxy.
    case chainToInheritedCollection
    /// Rule 18: the value form is told nothing of edits at the end of a chain.
    case valueFormOfChain
    /// Rule 25: who is the first to observe a key, and registers inside a plain pair, hears an assignment there. To know better, a will call
    /// would have to leave something behind where nobody observes, which a forgotten did call would leave for good (rule 24).
    case firstObserverInPlainPair
    /// Rule 25: who registers for a derived key path between will and did of what it depends on hears that did, unless somebody asked for
    /// old values or prior calls before.
    case derivedObserverBetweenWillAndDid
    /// Rule 47: who registers in a batch for a key path that changed in it before does not hear what comes after.
    case registrationInBatchAfterChange
    /// Rules 13, 47: a key path whose last observer goes in a batch in which it changed is deaf to those who observe it later.
    case lastObserverGoesInBatch

    /// The smallest program that shows it.
    var program: [Step] {
        func observe(_ id: Int, _ key: Key, _ options: Options = [.old, .new], _ form: Form = .change) -> Step {
            .observe(ModelObservation(id, 0, key, options, form: form))
        }
        switch self {
        case .chainToInheritedCollection:
            return [observe(1, .innerItems), .editItems(1, .own, .append([1]))]
        case .valueFormOfChain:
            return [observe(1, .partItems, [], .value), .editItems(3, .own, .append([1]))]
        case .firstObserverInPlainPair:
            return [.pair(Place(0, .a), [observe(1, .a), .assign(.a(0, 1))])]
        case .derivedObserverBetweenWillAndDid:
            return [observe(1, .innerA, .new), .announce(Place(0, .inner), [observe(2, .innerA, .new)])]
        case .registrationInBatchAfterChange:
            return [observe(1, .nextA), .batch([.assign(.next(0, 1)), observe(2, .nextA), .assign(.a(1, 5))])]
        case .lastObserverGoesInBatch:
            return [observe(1, .nextA), .batch([.assign(.next(0, 1)), .unobserve(1)]), observe(2, .nextA), .assign(.next(0, 2))]
        }
    }

    /// The keys that are not observed because of a defect.
    static func isAvoided(_ key: Key, _ form: Form) -> Bool {
        switch key {
        case .innerItems, .innerInnerItems, .innerSet: avoids(.chainToInheritedCollection)
        case .partItems, .innerPartItems, .partSet: form == .value && avoids(.valueFormOfChain)
        default: false
        }
    }

    /// Whether the generator keeps out of the way of a defect: to take a case away is to find every place where it does.
    static func avoids(_ defect: KnownDefect) -> Bool { true }
}
