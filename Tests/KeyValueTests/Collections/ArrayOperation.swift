import SafeKVO
import Testing

/// One thing to do to an array, and what is heard of it.
struct ArrayOperation: Sendable, CustomTestStringConvertible {
    typealias Items = MutableArrayValue<Shelf, Int>

    let name: String
    let start: [Int]
    let kind: KeyValueChangeKind
    let indexes: RangeSet<Int>?
    let old: [Int]?
    let new: [Int]?
    let result: [Int]
    /// Whether observers that leave out equal values hear nothing.
    let changesNothing: Bool
    let run: @Sendable (Items) -> Void

    var testDescription: String { "\(name) of \(start)" }

    private init(
        _ name: String, _ start: [Int], _ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>?, _ old: [Int]?, _ new: [Int]?,
        _ result: [Int], _ run: @escaping @Sendable (Items) -> Void
    ) {
        self.name = name
        self.start = start
        self.kind = kind
        self.indexes = indexes
        self.old = old
        self.new = new
        self.result = result
        self.changesNothing = start == result
        self.run = run
    }

    static func insertion(
        _ name: String, _ start: [Int], at indexes: [Range<Int>], new: [Int], result: [Int], _ run: @escaping @Sendable (Items) -> Void
    ) -> Self {
        Self(name, start, .insertion, RangeSet(indexes), nil, new, result, run)
    }

    static func removal(
        _ name: String, _ start: [Int], at indexes: [Range<Int>], old: [Int], result: [Int], _ run: @escaping @Sendable (Items) -> Void
    ) -> Self {
        Self(name, start, .removal, RangeSet(indexes), old, nil, result, run)
    }

    static func replacement(
        _ name: String, _ start: [Int], at indexes: [Range<Int>], old: [Int], new: [Int], result: [Int],
        _ run: @escaping @Sendable (Items) -> Void
    ) -> Self {
        Self(name, start, .replacement, RangeSet(indexes), old, new, result, run)
    }

    static func setting(_ name: String, _ start: [Int], result: [Int], _ run: @escaping @Sendable (Items) -> Void) -> Self {
        Self(name, start, .setting, nil, start, result, result, run)
    }

    /// What an observer hears that asked for these options: one call, or two with `.prior`.
    func expected(_ options: KeyValueObservingOptions, _ keyPath: AnyKeyPath) -> [KeyValueChange<[Int]>] {
        let old = options.contains(.old) ? old : nil
        let after = KeyValueChange(
            kind: kind, newValue: options.contains(.new) ? new : nil, oldValue: old, indexes: indexes)
        guard options.contains(.prior) else { return [after] }
        return [KeyValueChange(kind: kind, oldValue: old, indexes: indexes, isPrior: true), after]
    }
}
