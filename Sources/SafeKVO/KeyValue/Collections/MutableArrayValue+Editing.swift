extension MutableArrayValue {
    /// Adds an element at the end.
    ///
    /// Notifies observers of an insertion at the last index.
    ///
    /// - Complexity: O(1) amortised, even if observers ask for the new elements.
    @_alwaysEmitIntoClient
    public func append(_ newElement: Element) {
        insert([newElement], at: nil)
    }

    /// Adds elements at the end.
    ///
    /// Notifies observers of an insertion at the last indexes.
    ///
    /// - Parameter newElements: The elements. The sequence is read before the change, and may be this array itself.
    /// - Complexity: O(*k*) amortised for *k* elements.
    @_alwaysEmitIntoClient
    public func append<Elements: Sequence>(contentsOf newElements: Elements) where Elements.Element == Element {
        insert(Array(newElements), at: nil)
    }

    /// Inserts an element at a position.
    ///
    /// Notifies observers of an insertion at the index.
    ///
    /// - Parameters:
    ///   - newElement: The element.
    ///   - index: The position at which the element is inserted: the position of an element, or the end. Any other index traps.
    /// - Complexity: O(*n*)
    @_alwaysEmitIntoClient
    public func insert(_ newElement: Element, at index: Int) {
        insert([newElement], at: .some(index))
    }

    /// Inserts elements at consecutive positions.
    ///
    /// Notifies observers of an insertion at the indexes of the new elements.
    ///
    /// - Parameters:
    ///   - newElements: The elements. The collection is read before the change, and may be this array itself.
    ///   - index: The position at which the first new element is inserted: the position of an element, or the end. Any other index traps.
    /// - Complexity: O(*n* + *k*) for *k* elements.
    @_alwaysEmitIntoClient
    public func insert<Elements: Collection>(contentsOf newElements: Elements, at index: Int) where Elements.Element == Element {
        insert(Array(newElements), at: .some(index))
    }

    /// Removes the element at a position.
    ///
    /// Notifies observers of a removal at the index.
    ///
    /// - Parameter index: The position of an element. Any other index traps.
    /// - Returns: the removed element.
    /// - Complexity: O(*n*)
    @_alwaysEmitIntoClient
    @discardableResult
    public func remove(at index: Int) -> Element {
        editor.edit { array in
            Positions.check(index, array.count, Self.self)
            return CollectionEdit(.removal, at: index..<index + 1, of: array)
        }.gone[0]
    }

    /// Removes the elements at some indexes.
    ///
    /// Notifies observers of a removal at the indexes.
    ///
    /// - Parameter indexes: The positions of the elements. An index without an element traps.
    /// - Complexity: O(*n*)
    @_alwaysEmitIntoClient
    public func remove(at indexes: RangeSet<Int>) {
        remove { array in
            Positions.check(indexes, array.count, Self.self)
            return indexes
        }
    }

    /// Removes the first element.
    ///
    /// Notifies observers of a removal at the first index. Traps if the array is empty.
    ///
    /// - Returns: the removed element.
    /// - Complexity: O(*n*)
    @discardableResult
    @_alwaysEmitIntoClient
    public func removeFirst() -> Element { remove(at: 0) }

    /// Removes the last element.
    ///
    /// Notifies observers of a removal at the last index. Traps if the array is empty.
    ///
    /// - Returns: the removed element.
    /// - Complexity: O(1)
    @_alwaysEmitIntoClient
    @discardableResult
    public func removeLast() -> Element {
        editor.edit { array in
            Positions.check(array.count - 1, array.count, Self.self)
            return CollectionEdit(.removal, at: array.count - 1..<array.count, of: array)
        }.gone[0]
    }

    /// Removes all elements.
    ///
    /// Notifies observers of a removal at all indexes.
    ///
    /// - Parameter keepingCapacity: `true` if the array should keep its capacity.
    /// - Complexity: O(1) besides the release of the elements.
    @_alwaysEmitIntoClient
    public func removeAll(keepingCapacity: Bool = false) {
        editor.edit { array in
            var empty: [Element] = []
            if keepingCapacity { empty.reserveCapacity(array.capacity) }
            return CollectionEdit(.removal, at: array.indices, of: array, come: empty)
        }
    }

    /// Removes the elements for which a closure returns `true`.
    ///
    /// Notifies observers of a removal at the indexes of these elements. The closure is called for each element before any observer is
    /// called, and may read the array. If it throws, no element is removed, and observers get a removal without elements.
    ///
    /// - Parameter shouldBeRemoved: Returns `true` if an element should be removed.
    /// - Throws: the error of the closure.
    /// - Complexity: O(*n*)
    @_alwaysEmitIntoClient
    public func removeAll<Failure: Error>(where shouldBeRemoved: (Element) throws(Failure) -> Bool) throws(Failure) {
        var failure: Failure?
        remove { array in
            failure = nil
            var verdicts: [Bool] = []
            do throws(Failure) {
                for element in array { verdicts.append(try shouldBeRemoved(element)) }
            } catch {
                failure = error
                return RangeSet()
            }
            return verdicts.indices(of: true)
        }
        if let failure { throw failure }
    }

    /// Replaces the elements in a range with other elements.
    ///
    /// Observers get a replacement if there are as many new elements as old ones. Observers get an insertion if there are no old elements,
    /// and a removal if there are no new ones. Otherwise they get a change of kind ``KeyValueChangeKind/setting``, with the whole array.
    ///
    /// - Parameters:
    ///   - subrange: The positions of the old elements. A range that is not within the array traps.
    ///   - newElements: The new elements. The collection is read before the change, and may be this array itself.
    /// - Complexity: O(*k*) for *k* elements if there are as many new ones as old ones, otherwise O(*n* + *k*).
    @_alwaysEmitIntoClient
    public func replaceSubrange<Elements: Collection>(_ subrange: Range<Int>, with newElements: Elements)
    where Elements.Element == Element {
        let newElements = Array(newElements)
        editor.edit { array in
            Positions.check(subrange, array.count, Self.self)
            let start = subrange.lowerBound
            if newElements.count == subrange.count { return CollectionEdit(.replacement, at: subrange, of: array, come: newElements) }
            if subrange.isEmpty { return CollectionEdit(.insertion, at: start..<start + newElements.count, of: array, come: newElements) }
            if newElements.isEmpty { return CollectionEdit(.removal, at: subrange, of: array) }
            var copy = array
            copy.replaceSubrange(subrange, with: newElements)
            return CollectionEdit(settingFrom: array, to: copy)
        }
    }

    /// Exchanges two elements.
    ///
    /// Notifies observers of a replacement at the two indexes. If `i` equals `j`, observers get a replacement at that one index.
    ///
    /// - Parameters:
    ///   - i: The position of an element. Any other index traps.
    ///   - j: The position of an element. Any other index traps.
    /// - Complexity: O(1)
    @_alwaysEmitIntoClient
    public func swapAt(_ i: Int, _ j: Int) {
        editor.edit { array in
            Positions.check(i, array.count, Self.self)
            Positions.check(j, array.count, Self.self)
            let indexes = RangeSet([i..<i + 1, j..<j + 1])
            let pair = Array(array[indexes])
            let elements = ElementsChange(indexes: indexes, isEmpty: i == j)
            return CollectionEdit(.replacement, elements: elements, gone: pair, come: pair.reversed())
        }
    }

    /// Changes a copy of the array with a closure, assigns the copy, and notifies observers of one change.
    ///
    /// The function does what the other operations cannot do. Observers get a change of kind ``KeyValueChangeKind/setting``, with the whole
    /// array and without indexes.
    ///
    /// ```swift
    /// photos.change { $0.sort() }
    /// photos.change { $0.removeFirst(10) }
    /// ```
    ///
    /// If the closure throws, what it changed before is assigned, and observers are notified, as after a mutation of the property in place.
    ///
    /// The closure runs before any observer is called. It is called again if another thread, or a handler that is called before the change
    /// (``KeyValueObservingOptions/prior``), writes the property meanwhile. The closure may read the property, and must not write it: the
    /// copy overwrites that.
    ///
    /// - Parameter body: Changes the copy.
    /// - Throws: the error of the closure's last call.
    /// - Complexity: O(*n*) for the copy of the elements, which the closure makes when it first changes them.
    @_alwaysEmitIntoClient
    public func change<Failure: Error>(_ body: (inout [Element]) throws(Failure) -> Void) throws(Failure) {
        try editor.change(body)
    }
}

extension MutableArrayValue {
    /// Inserts elements at a position, or at the end if the position is nil.
    @_alwaysEmitIntoClient
    func insert(_ newElements: [Element], at index: Int?) {
        editor.edit { array in
            let start = index ?? array.count
            Positions.check(end: start, array.count, Self.self)
            return CollectionEdit(.insertion, at: start..<start + newElements.count, of: array, come: newElements)
        }
    }

    @_alwaysEmitIntoClient
    func remove(_ choose: ([Element]) -> RangeSet<Int>) {
        editor.edit { array in
            let chosen = choose(array)
            let elements = ElementsChange(indexes: chosen, isEmpty: chosen.isEmpty)
            return CollectionEdit(.removal, elements: elements, gone: Array(array[chosen]), come: [])
        }
    }
}

/// Checks whether positions are inside an array; if not, ends the program with a message that names the proxy.
@usableFromInline
enum Positions {
    @usableFromInline
    static func check(_ index: Int, _ count: Int, _ proxy: Any.Type) {
        check(index >= 0 && index < count, "index \(index) is", count, proxy)
    }

    @usableFromInline
    static func check(end index: Int, _ count: Int, _ proxy: Any.Type) {
        check(index >= 0 && index <= count, "position \(index) is", count, proxy)
    }

    @usableFromInline
    static func check(_ bounds: Range<Int>, _ count: Int, _ proxy: Any.Type) {
        check(bounds.lowerBound >= 0 && bounds.upperBound <= count, "range \(bounds) is", count, proxy)
    }

    @usableFromInline
    static func check(_ indexes: RangeSet<Int>, _ count: Int, _ proxy: Any.Type) {
        check(indexes.isInside(count), "one of the indexes \(indexes) is", count, proxy)
    }

    private static func check(_ isInside: Bool, _ text: @autoclosure () -> String, _ count: Int, _ proxy: Any.Type) {
        FatalMistake.check(
            isInside, "\(proxy): \(text()) out of range, because the array has \(count) elements. Compare it with `count` first.")
    }
}
