import SafeKVO

/// Values that are made of anything: raw values, tags, names, positions, counters, changes.
enum Values {
    static let mistakes = Mistakes(
        "values that are made of anything",
        [
            Mistake("raw values of enumerations") {
                for bits in 0...UInt8.max {
                    let all: [Any?] = [
                        KeyValueChangeKind(rawValue: bits), ObservationEndReason(rawValue: bits), ObservationHandlerKind(rawValue: bits),
                    ]
                    try check(all.allSatisfy { $0 == nil } || bits < 8, "\(bits) is something")
                    if let kind = KeyValueChangeKind(rawValue: bits) { try check(kind.rawValue == bits, "\(kind)") }
                }
            },
            Mistake("tags and names of anything") {
                for text in ["", " ", "\0", "a\nb", "é", "e\u{301}", String(repeating: "x", count: 100_000), "sequence 1", "🏳️‍🌈"] {
                    let (tag, name) = (ObservationTag(text), MessageName(text))
                    try check(tag == ObservationTag(rawValue: text) && tag == ObservationTag(stringLiteral: text), text)
                    try check(name == MessageName(rawValue: text) && name == MessageName(stringLiteral: text), text)
                    _ = (tag.description, name.description, name.hashValue, name == "x")
                    var hasher = Hasher()
                    name.hash(into: &hasher)
                }
                try check(MessageName("é") == MessageName("e\u{301}"), "equal names differ")
            },
            Mistake("positions in files that are none") {
                for line in [0, 1, 65_535, 65_536, UInt.max] {
                    let position = SourcePosition(fileID: "", line: line)
                    _ = (position.fileID, position.line, position.description, position == SourcePosition(fileID: "\n", line: line))
                    observeAt(line)
                }
            },
            Mistake("counters that are full") {
                let full = ObservationCounters(
                    delivered: .max, dropped: .max, wrongIsolation: .max, ignoredAdds: .max, ignoredRemoves: .max)
                _ = (full + full, full + ObservationCounters(), full.description)
            },
            Mistake("changes of anything") { changes() },
            Mistake("messages of anything") {
                let userInfo: [AnyHashable: Any] = [1: "one", "one": [1], AnyHashable(Weekday.monday): Weekday.self]
                for name in ["", "x"] as [MessageName] {
                    _ = (NamedMessage(name: name), NamedMessage(name: name, object: Whole(), userInfo: userInfo).userInfo)
                }
            },
            Mistake("results") {
                let refusals: [ObservationResult.Refusal] = [
                    .noObject, .objectDeinitialized, .observerDeinitialized, .controllerInvalidated, .priorCallElsewhere,
                    .handlerOfAnotherIsolation,
                ]
                for result in [.added, .alreadyObserved, .replaced] + refusals.map({ ObservationResult.refused($0) }) {
                    try check(result.isObserving == (result == .added || result == .replaced), "\(result)")
                }
            },
            Mistake("what counts as equal never does, always does, changes what is compared") { try comparisons() },
        ])

    enum Weekday { case monday }

    private static func observeAt(_ line: UInt) {
        let (whole, all) = (Whole(), Controllers())
        all.ofWatcher.observe(whole, \.number, fileID: "", line: line) { watcher, _ in watcher.call() }
        all.ofWatcher.observeEach(whole, [\.plain], fileID: "\0", line: line) { watcher, _, _ in watcher.call() }
        whole.willChangeValue(for: \.plain, fileID: "", line: line)
        whole.didChangeValue(for: \.plain, fileID: "", line: 0)
        whole.withChange(of: \.plain, fileID: "", line: line) {}
        _ = all.ofWatcher.observations.map(\.position.description)
    }

    private static func changes() {
        let nothing = KeyValueChange<Int?>()
        let change = KeyValueChange<Int?>(
            kind: .insertion, newValue: .some(nil), oldValue: nil, indexes: RangeSet(Int.min..<Int.max), isPrior: true, isInitial: true,
            keyPath: \Whole.number)
        _ = (nothing == change, nothing.description, change.description, change.indexes?.isEmpty)
        for any in [AnyKeyValueChange(nothing), AnyKeyValueChange(change), AnyKeyValueChange(KeyValueChange<Void>())] {
            _ = (any.description, any.typed(as: \Whole.number)?.newValue, any.typed(as: \Whole.items), any.typed(as: \String.count))
        }
    }

    private static func comparisons() throws {
        let (whole, all) = (Whole(), Controllers())
        all.ofWatcher.observe(whole, \.number, removing: .duplicates { _, _ in false }) { watcher, _ in watcher.call() }
        all.ofWatcher.observe(whole, \.number, removing: .duplicates { _, _ in true }, tag: "never") { watcher, _ in watcher.call() }
        all.ofWatcher.observe(whole, \.number, removing: .duplicates, tag: "plain") { watcher, _ in watcher.call() }
        all.ofWatcher.observe(
            whole, \.number,
            removing: .duplicates { [weak whole] old, new in
                if let whole, whole.number < 5 { whole.number += 1 }
                all.ofWatcher.unobserve(whole, \.number, tag: "never")
                return old == new
            }, tag: "writes"
        ) { watcher, _ in watcher.call() }
        whole.number = 1
        whole.number = 1
        try check(whole.number == 5 && all.calls > 6, "\(whole.number), \(all.calls)")
    }
}
