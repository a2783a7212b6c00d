/// What an operation does to elements of an array.
struct ArrayEdit<Element>: CollectionEdit {
    let kind: KeyValueChangeKind
    /// Their positions, of an insertion after it; nil if it is about the whole.
    private let indexes: RangeSet<Int>?
    private let changesNothing: Bool
    /// How many elements there were.
    private let count: Int

    /// An edit of the elements at some positions.
    init(_ kind: KeyValueChangeKind, at indexes: RangeSet<Int>, of array: [Element], changesNothing: Bool? = nil) {
        self.kind = kind
        self.indexes = indexes
        self.changesNothing = changesNothing ?? indexes.isEmpty
        count = array.count
    }

    /// An edit of the elements at some positions that follow one another.
    init(_ kind: KeyValueChangeKind, at range: Range<Int>, of array: [Element]) {
        self.init(kind, at: RangeSet(range), of: array)
    }

    private init(settingOf array: [Element]) {
        kind = .setting
        indexes = nil
        changesNothing = false
        count = array.count
    }

    /// An edit that puts another array in the place of one.
    static func setting(of array: [Element]) -> Self { Self(settingOf: array) }

    var elements: ElementsChange? { indexes.map { ElementsChange(indexes: $0, isEmpty: changesNothing) } }

    func isRight(for value: [Element], afterHandlers: Bool) -> Bool { value.count == count }

    func old(in whole: [Element]) -> [Element]? { kind == .insertion ? nil : concerned(whole) }

    func new(in whole: [Element]) -> [Element]? { kind == .removal ? nil : concerned(whole) }

    private func concerned(_ whole: [Element]) -> [Element]? {
        guard let indexes else { return whole }
        return Self.elements(of: whole, at: indexes)
    }

    /// The elements at some positions, in order.
    static func elements(of whole: [Element], at indexes: RangeSet<Int>) -> [Element] {
        if indexes.ranges.count == 1 { return Array(whole[indexes.ranges[0]]) }
        var elements: [Element] = []
        elements.reserveCapacity(indexes.count)
        for range in indexes.ranges { elements += whole[range] }
        return elements
    }
}
