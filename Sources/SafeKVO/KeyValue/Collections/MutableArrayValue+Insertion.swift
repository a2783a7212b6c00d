extension MutableArrayValue {
    /// Adds an element at the end.
    ///
    /// Notifies observers of an insertion at the last index.
    ///
    /// - Complexity: O(1) amortised, even if observers ask for the new elements.
    @inlinable
    public func append(_ newElement: Element) {
        edit {
            ArrayEdit(.insertion, at: $0.count..<$0.count + 1, of: $0)
        } _: {
            $0.append(newElement)
        }
    }

    /// Adds elements at the end.
    ///
    /// Notifies observers of an insertion at the last indexes.
    ///
    /// - Parameter newElements: The elements. The sequence is read before the change, and may be this array itself.
    /// - Complexity: O(*k*) amortised for *k* elements.
    public func append<Elements: Sequence>(contentsOf newElements: Elements) where Elements.Element == Element {
        let newElements = Array(newElements)
        edit {
            ArrayEdit(.insertion, at: $0.count..<$0.count + newElements.count, of: $0)
        } _: {
            $0.append(contentsOf: newElements)
        }
    }

    /// Inserts an element at a position.
    ///
    /// Notifies observers of an insertion at the index.
    ///
    /// - Parameters:
    ///   - newElement: The element.
    ///   - index: The position at which the element is inserted: the position of an element, or the end. Any other index traps.
    /// - Complexity: O(*n*)
    @inlinable
    public func insert(_ newElement: Element, at index: Int) {
        edit { array in
            Self.check(position: index, in: array)
            return ArrayEdit(.insertion, at: index..<index + 1, of: array)
        } _: {
            $0.insert(newElement, at: index)
        }
    }

    /// Inserts elements at consecutive positions.
    ///
    /// Notifies observers of an insertion at the indexes of the new elements.
    ///
    /// - Parameters:
    ///   - newElements: The elements. The collection is read before the change, and may be this array itself.
    ///   - index: The position at which the first new element is inserted: the position of an element, or the end. Any other index traps.
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

    /// Inserts elements at several positions at once.
    ///
    /// Notifies observers of an insertion at the indexes.
    ///
    /// ```swift
    /// // ["b", "d"] becomes ["a", "b", "c", "d"]
    /// letters.insert(["a", "c"], at: RangeSet([0..<1, 2..<3]))
    /// ```
    ///
    /// - Parameters:
    ///   - newElements: The elements in order, as many as there are indexes. Any other number traps.
    ///   - indexes: The positions of the new elements after the insertion. An index outside the array after the insertion traps.
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
    /// Makes an empty array that belongs to no observed object, so that its changes notify nobody.
    ///
    /// The algorithms of `RangeReplaceableCollection` make their results with this initializer.
    public init() {
        self.init(detached: [])
    }

    /// Makes an array that belongs to no observed object, so that its changes notify nobody.
    ///
    /// - Parameter elements: The elements of the array.
    /// - Complexity: O(*n*)
    public init<Elements: Sequence>(_ elements: Elements) where Elements.Element == Element {
        self.init(detached: Array(elements))
    }

    /// Makes an array of equal elements that belongs to no observed object, so that its changes notify nobody.
    ///
    /// - Parameters:
    ///   - repeatedValue: The element to repeat.
    ///   - count: The number of elements. A negative number traps.
    /// - Complexity: O(*n*)
    public init(repeating repeatedValue: Element, count: Int) {
        Mistake.check(count >= 0, "\(Self.self).init(repeating:count:) cannot repeat an element \(count) times. Pass zero or more.")
        self.init(detached: Array(repeating: repeatedValue, count: count))
    }

    /// Does nothing, because it would have to change the object's array without a notification.
    ///
    /// Reserve capacity in the property itself instead.
    ///
    /// - Parameter n: The number of elements.
    public func reserveCapacity(_ n: Int) {}

    /// Replaces the elements in a range with other elements.
    ///
    /// Observers get a replacement if there are as many new elements as old ones. Observers get an insertion if there are no old elements,
    /// and a removal if there are no new ones. Otherwise they get a change of kind ``KeyValueChangeKind/setting``, with the whole array.
    ///
    /// - Parameters:
    ///   - subrange: The positions of the old elements. A range that is not within the array traps.
    ///   - newElements: The new elements. The collection is read before the change, and may be this array itself.
    /// - Complexity: O(*k*) for *k* elements if there are as many new ones as old ones, otherwise O(*n* + *k*).
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

    /// Replaces the elements in a range of any kind with other elements.
    ///
    /// The function works like ``replaceSubrange(_:with:)-(Range<Int>,_)``.
    ///
    /// - Parameters:
    ///   - subrange: The positions of the old elements. A range that is not within the array traps.
    ///   - newElements: The new elements. The collection is read before the change, and may be this array itself.
    public func replaceSubrange<Elements: Collection, Bounds: RangeExpression<Int>>(_ subrange: Bounds, with newElements: Elements)
    where Elements.Element == Element {
        replaceSubrange(positions(subrange), with: newElements)
    }

    /// Replaces the elements at some indexes.
    ///
    /// Notifies observers of a replacement at the indexes.
    ///
    /// - Parameters:
    ///   - indexes: The positions of the elements. An index that is not the position of an element traps.
    ///   - newElements: The new elements in order, as many as there are indexes. Any other number traps.
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
