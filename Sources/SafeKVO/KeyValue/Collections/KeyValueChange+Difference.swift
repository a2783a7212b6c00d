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
            return newValue.flatMap { CollectionDifference(inserted($0)) }
        case .removal:
            return oldValue.flatMap { CollectionDifference(removed($0)) }
        case .replacement:
            guard let oldValue, let newValue else { return nil }
            return CollectionDifference(removed(oldValue) + inserted(newValue))
        }
    }

    private typealias Step = CollectionDifference<Value.Element>.Change

    private func inserted(_ elements: Value) -> [Step] {
        zip(offsets, elements).map { .insert(offset: $0, element: $1, associatedWith: nil) }
    }

    private func removed(_ elements: Value) -> [Step] {
        zip(offsets, elements).map { .remove(offset: $0, element: $1, associatedWith: nil) }
    }

    private var offsets: [Int] {
        indexes?.ranges.flatMap { $0 } ?? []
    }
}
