extension MutableArrayValue: RangeReplaceableCollection {
    /// Makes an empty array that belongs to no object.
    ///
    /// It announces nothing. `RangeReplaceableCollection` demands it, so that algorithms have something to put their results in.
    public init() {
        self.init(detached: [])
    }

    /// Makes an array that belongs to no object.
    ///
    /// - Parameter elements: What is in it.
    /// - Complexity: O(*n*)
    public init<Elements: Sequence>(_ elements: Elements) where Elements.Element == Element {
        self.init(detached: Array(elements))
    }

    /// Makes an array that belongs to no object.
    ///
    /// - Parameters:
    ///   - repeatedValue: What is in it.
    ///   - count: How often.
    /// - Complexity: O(*n*)
    public init(repeating repeatedValue: Element, count: Int) {
        Mistake.check(count >= 0, "MutableArrayValue(repeating:count:) cannot repeat an element \(count) times: pass zero or more.")
        self.init(detached: Array(repeating: repeatedValue, count: count))
    }

    /// Does nothing.
    ///
    /// Room cannot be made in an object's array without a change being announced, and this is none. Reserve it in the property.
    ///
    /// - Parameter n: How many elements there will be.
    public func reserveCapacity(_ n: Int) {}

    /// Puts elements in the place of others.
    ///
    /// Announces a replacement if there are as many new elements as old; an insertion if there are no old ones, a removal if there are
    /// no new ones; otherwise a setting, of the whole array.
    ///
    /// - Parameters:
    ///   - subrange: Positions in range.
    ///   - newElements: The elements; the collection is gone through before the change, and may be this array itself.
    /// - Complexity: O(*k*) for *k* elements if there are as many new ones as old, otherwise O(*n* + *k*).
    public func replaceSubrange<Elements: Collection>(_ subrange: Range<Int>, with newElements: Elements)
    where Elements.Element == Element {
        let newElements = Array(newElements)
        edit { array -> (edit: ArrayEdit<Element>, state: [Element]) in
            Self.check(subrange, in: array)
            let edit: ArrayEdit<Element> =
                if newElements.count == subrange.count {
                    ArrayEdit(.replacement, at: subrange, of: array)
                } else if subrange.isEmpty {
                    ArrayEdit(.insertion, at: subrange.lowerBound..<subrange.lowerBound + newElements.count, of: array)
                } else if newElements.isEmpty {
                    ArrayEdit(.removal, at: subrange, of: array)
                } else {
                    .setting(of: array)
                }
            return (edit, [])
        } _: { array, gone in
            gone = Array(array[subrange])
            array.replaceSubrange(subrange, with: newElements)
        }
    }

    /// Puts elements in the place of others: the same with another sort of range.
    ///
    /// - Parameters:
    ///   - subrange: Positions in range.
    ///   - newElements: The elements; the collection is gone through before the change, and may be this array itself.
    /// - Complexity: O(*k*) for *k* elements if there are as many new ones as old, otherwise O(*n* + *k*).
    public func replaceSubrange<Elements: Collection, Bounds: RangeExpression<Int>>(_ subrange: Bounds, with newElements: Elements)
    where Elements.Element == Element {
        replaceSubrange(positions(subrange), with: newElements)
    }

    /// Puts elements in the place of those at some indexes.
    ///
    /// Announces a replacement at the indexes.
    ///
    /// - Parameters:
    ///   - indexes: Positions in range.
    ///   - newElements: As many elements as there are indexes, in order.
    /// - Complexity: O(*k*) for *k* elements.
    public func replace<Elements: Collection>(at indexes: RangeSet<Int>, with newElements: Elements) where Elements.Element == Element {
        let newElements = Array(newElements)
        let number = indexes.count
        Mistake.check(
            newElements.count == number,
            "MutableArrayValue.replace(at:with:): there are \(newElements.count) elements for \(number) indexes.")
        edit { array in
            Self.check(indexes, in: array)
            return (ArrayEdit(.replacement, at: indexes, of: array), newElements)
        } _: { array, state in
            var position = 0
            for range in indexes.ranges {
                for index in range {
                    swap(&array[index], &state[position])
                    position += 1
                }
            }
        }
    }
}
