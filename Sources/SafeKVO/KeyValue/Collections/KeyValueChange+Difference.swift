extension KeyValueChange where Value: BidirectionalCollection, Value.Element: Equatable {
    /// What to do to a copy of the old collection to make it the new one.
    ///
    /// ```swift
    /// guard let difference = change.difference else { return show(album.photos) }
    /// for step in difference {
    ///     switch step {
    ///     case .remove(let row, _, _): table.deleteRow(row)
    ///     case .insert(let row, let photo, _): table.insertRow(row, photo)
    ///     }
    /// }
    /// ```
    ///
    /// Of an insertion, a removal and a replacement it tells the elements at ``indexes``; of a setting it is found by comparing the values.
    /// It is nil if what it takes was not asked for: of an insertion the new elements, of a removal the old ones, otherwise both.
    ///
    /// - Complexity: O(*k*) for *k* elements that the change is about; of a setting, O(*n* \* *d*) for *d* differences.
    public var difference: CollectionDifference<Value.Element>? {
        switch kind {
        case .setting:
            guard let oldValue, let newValue else { return nil }
            return newValue.difference(from: oldValue)
        case .insertion:
            return steps(newValue, Step.insert).flatMap { CollectionDifference($0) }
        case .removal:
            return steps(oldValue, Step.remove).flatMap { CollectionDifference($0) }
        case .replacement:
            guard let removals = steps(oldValue, Step.remove), let insertions = steps(newValue, Step.insert) else { return nil }
            return CollectionDifference(removals + insertions)
        }
    }

    private typealias Step = CollectionDifference<Value.Element>.Change

    /// A step for each element; nil if they are not there, or not as many as the indexes.
    private func steps(_ elements: Value?, _ step: (Int, Value.Element, Int?) -> Step) -> [Step]? {
        guard let elements, let indexes, elements.count == indexes.count else { return nil }
        return zip(indexes.ranges.joined(), elements).map { step($0, $1, nil) }
    }
}
