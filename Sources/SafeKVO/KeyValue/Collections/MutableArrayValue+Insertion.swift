extension MutableArrayValue {
    /// Adds an element at the end.
    ///
    /// Announces an insertion at the last index.
    ///
    /// - Parameter newElement: The element.
    /// - Complexity: O(1) amortised, also if observers ask for the new elements.
    public func append(_ newElement: Element) {
        edit {
            ArrayEdit(.insertion, at: $0.count..<$0.count + 1, of: $0)
        } _: {
            $0.append(newElement)
        }
    }

    /// Adds elements at the end.
    ///
    /// Announces an insertion at the last indexes.
    ///
    /// - Parameter newElements: The elements; the sequence is gone through before the change, and may be this array itself.
    /// - Complexity: O(*k*) amortised for *k* elements.
    public func append<Elements: Sequence>(contentsOf newElements: Elements) where Elements.Element == Element {
        let newElements = Array(newElements)
        edit {
            ArrayEdit(.insertion, at: $0.count..<$0.count + newElements.count, of: $0)
        } _: {
            $0.append(contentsOf: newElements)
        }
    }

    /// Puts an element before that at a position.
    ///
    /// Announces an insertion at the index.
    ///
    /// - Parameters:
    ///   - newElement: The element.
    ///   - index: Where it will be: a position in range, or the end.
    /// - Complexity: O(*n*)
    public func insert(_ newElement: Element, at index: Int) {
        edit { array in
            Self.check(position: index, in: array)
            return ArrayEdit(.insertion, at: index..<index + 1, of: array)
        } _: {
            $0.insert(newElement, at: index)
        }
    }

    /// Puts elements before that at a position.
    ///
    /// Announces an insertion at as many indexes, from the given one on.
    ///
    /// - Parameters:
    ///   - newElements: The elements; the collection is gone through before the change, and may be this array itself.
    ///   - index: Where the first of them will be: a position in range, or the end.
    /// - Complexity: O(*n* + *k*) for *k* elements.
    public func insert<Elements: Collection>(contentsOf newElements: Elements, at index: Int) where Elements.Element == Element {
        let newElements = Array(newElements)
        edit { array in
            Self.check(position: index, in: array)
            return ArrayEdit(.insertion, at: index..<index + newElements.count, of: array)
        } _: {
            $0.insert(contentsOf: newElements, at: index)
        }
    }

    /// Puts elements at several positions at once.
    ///
    /// Announces an insertion at the indexes.
    ///
    /// ```swift
    /// letters.insert(["a", "c"], at: RangeSet([0..<1, 2..<3]))  // ["b", "d"] becomes ["a", "b", "c", "d"]
    /// ```
    ///
    /// - Parameters:
    ///   - newElements: As many elements as there are indexes, in order.
    ///   - indexes: Where they will be when all are there.
    /// - Complexity: O(*n* + *k*) for *k* elements.
    public func insert<Elements: Collection>(_ newElements: Elements, at indexes: RangeSet<Int>) where Elements.Element == Element {
        let newElements = Array(newElements)
        let number = indexes.count
        Mistake.check(
            newElements.count == number,
            "\(Self.self).insert(_:at:) got \(newElements.count) elements for \(number) indexes. Pass one element for each index.")
        edit { array in
            let end = array.count + number
            Mistake.check(
                indexes.isInside(end),
                "\(Self.self).insert(_:at:): \(indexes) is out of range, because the array will have \(end) elements. Pass smaller indexes."
            )
            return ArrayEdit(.insertion, at: indexes, of: array)
        } _: { array in
            if indexes.ranges.count == 1 {
                array.insert(contentsOf: newElements, at: indexes.ranges[0].lowerBound)
                return
            }
            var (result, oldStart, newStart): ([Element], Int, Int) = ([], 0, 0)
            result.reserveCapacity(array.count + number)
            for range in indexes.ranges {
                let oldEnd = oldStart + range.lowerBound - result.count
                result += array[oldStart..<oldEnd]
                result += newElements[newStart..<newStart + range.count]
                (oldStart, newStart) = (oldEnd, newStart + range.count)
            }
            result += array[oldStart...]
            array = result
        }
    }
}

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
        Mistake.check(count >= 0, "\(Self.self).init(repeating:count:) cannot repeat an element \(count) times. Pass zero or more.")
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
            "\(Self.self).replace(at:with:) got \(newElements.count) elements for \(number) indexes. Pass one element for each index.")
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
