extension KeyValueChange where Value: BidirectionalCollection, Value.Element: Equatable {
    /// The steps that turn a copy of the old collection into the new one.
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
    /// For an insertion, a removal or a replacement, the steps concern the elements at ``indexes``. For a setting, they are found by
    /// comparing the old and the new collection.
    ///
    /// The value is nil if the change lacks the elements that are needed. An insertion needs the new elements, and a removal needs the old
    /// ones. A replacement and a setting need both.
    ///
    /// - Complexity: O(*k*) for *k* elements that the change concerns. For a setting, O(*n* \* *d*) for *d* differences.
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

    private func steps(_ elements: Value?, _ step: (Int, Value.Element, Int?) -> Step) -> [Step]? {
        guard let elements, let indexes, elements.count == indexes.count else { return nil }
        return zip(indexes.ranges.joined(), elements).map { step($0, $1, nil) }
    }
}
