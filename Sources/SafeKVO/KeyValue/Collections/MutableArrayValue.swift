/// An array of an observed object, changed element by element.
///
/// ```swift
/// let photos = album.mutableArrayValue(for: \.photos)
/// photos.append(photo)          // observers hear of an insertion at the last index
/// photos.swapAt(0, 1)           // … of a replacement at 0 and 1
/// photos.remove(at: 3)          // … of a removal at 3
/// ```
///
/// It is a reference: it retains the object, reads the array that the object has at the moment, and changes it there. Copies of it mean
/// the same array, whether they are held in constants or variables. ``array`` is the array as a value.
///
/// Each operation announces one change, also one that changes nothing, whose ``KeyValueChange/indexes`` are empty. An index out of range
/// traps as an array's does, before anything is announced. Closures, comparisons, random number generators and sequences that are handed in
/// run before that too, so they may read the array. What handlers of calls before the change (``KeyValueObservingOptions/prior``)
/// do to the array comes before the change under way, which then still means the positions that were announced.
///
/// Each access reads the property; for many of them, take ``array`` once. Iterating does: it goes over the array as it was at the beginning.
///
/// ## Generic algorithms
///
/// As `RangeReplaceableCollection` demands, there are values that belong to no object: what `init()` and the other initializers of that
/// protocol make, and the results of `+` and `filter`. They have an array of their own (copies mean the same one) and announce nothing.
///
/// A generic algorithm announces what it calls: `sort` and `removeAll(where:)` are one change there as well, `reverse` and `shuffle` are a
/// change for each swap. One that takes a copy and changes the copy changes the object's array: the generic `+` (of a type parameter, that
/// is) and `removeSubranges(_:)` of a collection that is only range-replaceable expect that copies are independent. Hand such algorithms
/// ``array``.
public struct MutableArrayValue<Subject: KeyValueObservable, Element> {
    private enum Storage {
        case attached(CollectionEditor<Subject, [Element]>)
        case detached(DetachedArray<Element>)
    }

    private let storage: Storage

    init(subject: Subject, keyPath: ReferenceWritableKeyPath<Subject, [Element]>) {
        storage = .attached(CollectionEditor(subject: subject, keyPath: keyPath))
    }

    init(detached elements: [Element]) {
        storage = .detached(DetachedArray(elements))
    }

    /// The array as it is at the moment.
    ///
    /// - Complexity: O(1). The first change of the object's array while the result is kept copies the elements.
    public var array: [Element] {
        read { $0 }
    }

    /// Reads the array without copying it.
    func read<R>(_ body: ([Element]) -> R) -> R {
        switch storage {
        case .attached(let editor): editor.read(body)
        case .detached(let own): body(own.elements)
        }
    }

    /// Changes the array, and announces that.
    ///
    /// While `body` runs, the array is open: code of a user's, which might read it, must not run. The `deinit` of an element is such code,
    /// so `body` hands out what it removes.
    func edit<R>(
        _ kind: KeyValueChangeKind, at indexes: RangeSet<Int>?, changesNothing: Bool, _ body: (inout [Element]) -> R
    ) -> R {
        switch storage {
        case .detached(let own): body(&own.elements)
        case .attached(let editor):
            editor.edit(
                kind, at: indexes, changesNothing: changesNothing, mark: { $0.count },
                old: { kind == .insertion ? nil : Self.concerned($0, at: indexes) },
                new: { kind == .removal ? nil : Self.concerned($0, at: indexes) }, body)
        }
    }

    /// Changes the elements at some indexes.
    func edit<R>(_ kind: KeyValueChangeKind, at indexes: Range<Int>, _ body: (inout [Element]) -> R) -> R {
        edit(kind, at: RangeSet(indexes), changesNothing: indexes.isEmpty, body)
    }

    /// Puts new contents in the place of all elements, in one replacement.
    ///
    /// If code of a user's has made the array longer or shorter since they were read, it is a setting.
    func replaceAll(with elements: consuming [Element]) {
        var elements = elements
        let isReplacement = elements.count == count
        // The old ones leave by the same door.
        edit(
            isReplacement ? .replacement : .setting, at: isReplacement ? RangeSet(elements.indices) : nil,
            changesNothing: isReplacement && elements.isEmpty
        ) { swap(&$0, &elements) }
    }

    /// The elements that a change is about: all of them if it is about the whole.
    private static func concerned(_ whole: [Element], at indexes: RangeSet<Int>?) -> [Element]? {
        guard let indexes else { return whole }
        return elements(of: whole, at: indexes)
    }

    /// The elements at some indexes, in order; nil if a handler has made the array shorter meanwhile.
    static func elements(of whole: [Element], at indexes: RangeSet<Int>) -> [Element]? {
        guard let end = indexes.ranges.last?.upperBound else { return [] }
        guard end <= whole.count else { return nil }
        if indexes.ranges.count == 1 { return Array(whole[indexes.ranges[0]]) }
        var elements: [Element] = []
        elements.reserveCapacity(indexes.count)
        for range in indexes.ranges { elements += whole[range] }
        return elements
    }
}

// It holds the object and the key path, neither of which need be fit for it.
@available(*, unavailable)
extension MutableArrayValue: Sendable {}
