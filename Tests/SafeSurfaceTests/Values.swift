import Foundation
import SafeKVO
import SafeKVOEvents

/// Values that are made of anything: raw values, tags, names, positions, counters, changes.
enum Values {
    static let mistakes = Mistakes(
        "values that are made of anything",
        [
            Mistake("raw values of enumerations") {
                for bits in 0...UInt8.max {
                    let all: [Any?] = [KeyValueChangeKind(rawValue: bits), ObservationEndReason(rawValue: bits)]
                    try check(all.allSatisfy { $0 == nil } || bits < 8, "\(bits) is something")
                    if let kind = KeyValueChangeKind(rawValue: bits) { try check(kind.rawValue == bits, "\(kind)") }
                }
            },
            Mistake("tags and names of anything") {
                for text in ["", " ", "\0", "a\nb", "é", "e\u{301}", String(repeating: "x", count: 100_000), "sequence 1", "🏳️‍🌈"] {
                    let (tag, name) = (ObservationTag(text), MessageName(text))
                    try check(tag == ObservationTag(stringLiteral: text), text)
                    try check(name == MessageName(rawValue: text) && name == MessageName(stringLiteral: text), text)
                    _ = (tag.description, name.description, name.hashValue, name == "x")
                    var hasher = Hasher()
                    name.hash(into: &hasher)
                }
                try check(MessageName("é") == MessageName("e\u{301}"), "equal names differ")
            },
            Mistake("lines that are none") {
                for line in [0, 1, 65_535, 65_536, UInt.max] { observeAt(line) }
            },
            Mistake("counters that are full") {
                let full = ObservationCounters(
                    delivered: .max, dropped: .max, wrongIsolation: .max, ignoredAdds: .max, ignoredRemoves: .max)
                _ = (full.description, full == ObservationCounters())
            },
            Mistake("changes of anything") { changes() },
            Mistake("properties that are coded without their object, and keys that hold something else") { try codings() },
            Mistake("bindings in a circle, of one property, of values that equal nothing, and within a handler") { try bindings() },
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

    private final class Odd: KeyValueObject {
        @Observed var value = 0.0
        var other: Double {
            get { value }
            set { value = newValue + 1 }
        }
    }

    private static func bindings() throws {
        let odd = [Odd(), Odd(), Odd()]
        var tokens = odd.indices.map { bind(odd[$0], \.value, with: odd[($0 + 1) % 3], \.value, startingWith: .second) }
        for value in [1, .infinity, 2] { odd[1].value = value }
        try check(odd.allSatisfy { $0.value == 2 }, "\(odd.map(\.value))")
        tokens = [bind(odd[0], \.value, to: odd[0], \.value), bind(odd[0], \.value, with: odd[0], \.value)]
        odd[0].value = .nan
        tokens = [bind(odd[0], \.other, with: odd[1], \.other), bind(odd[2], \.value, to: odd[2], \.other, initial: false)]
        let next = bind(odd[2], \.other, to: odd[2], \.other) { $0 + 1 }
        odd[2].other = 1
        next.cancel()
        let all = Controllers()
        all.ofWatcher.observe(odd[0], \.value) { _, _ in tokens.removeAll() }
        for value in [3, .nan, 4] { (odd[0].value, odd[2].value) = (value, value) }
        try check(tokens.isEmpty, "a token is kept")
    }

    final class Parent: Codable {
        var name = "p"
    }

    /// Codes each wrapper under a key of its own, and alone.
    private struct Coded: Codable {
        enum CodingKeys: CodingKey { case number, text, shared, sharedText, weak, orphan }
        let parent = Parent()
        var number = Observed(wrappedValue: 1)
        var text = Observed(wrappedValue: "a" as String?)
        var shared = AtomicObserved(wrappedValue: 2)
        var sharedText = AtomicObserved(wrappedValue: nil as String?)
        var weak: WeakObserved<Parent>
        var orphan = WeakObserved<Parent>(wrappedValue: nil)

        init() { weak = WeakObserved(wrappedValue: parent) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            number = try Observed(from: container.superDecoder(forKey: .number))
            text = try container.decode(Observed<String?>.self, forKey: .text)
            shared = try AtomicObserved(from: container.superDecoder(forKey: .shared))
            sharedText = try container.decode(AtomicObserved<String?>.self, forKey: .sharedText)
            // Nothing retains the decoded objects.
            _ = try WeakObserved<Parent>(from: container.superDecoder(forKey: .weak))
            orphan = try container.decode(WeakObserved<Parent>.self, forKey: .orphan)
            weak = WeakObserved(wrappedValue: parent)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(text, forKey: .text)
            try container.encode(sharedText, forKey: .sharedText)
            try container.encode(orphan, forKey: .orphan)
            try weak.encode(to: container.superEncoder(forKey: .weak))
            try number.encode(to: container.superEncoder(forKey: .number))
            try shared.encode(to: container.superEncoder(forKey: .shared))
        }
    }

    private static func codings() throws {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(Coded()), as: UTF8.self)
        try check(text == #"{"number":1,"shared":2,"text":"a","weak":{"name":"p"}}"#, text)
        let copy = try decoder.decode(Coded.self, from: Data(text.utf8))
        try check(String(decoding: try encoder.encode(copy), as: UTF8.self) == text, "another comes back")
        for wrong in [
            "", "{}", "1", #"{"number":"a","shared":2}"#, #"{"number":1,"shared":[]}"#, #"{"number":1,"shared":2,"text":1}"#,
            #"{"number":1,"shared":2,"weak":1}"#, #"{"number":1,"shared":2,"weak":null,"orphan":1}"#,
        ] {
            let decoded = try? decoder.decode(Coded.self, from: Data(wrong.utf8))
            try check(decoded == nil, wrong)
        }
    }

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
            kind: .insertion, newValue: .some(nil), oldValue: nil, indexes: RangeSet(Int.min..<Int.max), isPrior: true, isInitial: true)
        _ = (nothing == change, nothing.description, change.description, change.indexes?.isEmpty)
        for any in [
            AnyKeyValueChange(nothing), AnyKeyValueChange(change, keyPath: \Whole.number), AnyKeyValueChange(KeyValueChange<Void>()),
        ] {
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
