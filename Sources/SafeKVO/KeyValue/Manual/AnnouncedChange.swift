package struct AnnouncedChange<Value> {
    package struct Plan {
        package let old: Value?
        package let isEmpty: Bool
        /// Finds the new elements in the value after the change; returns nil if the announced change was not made.
        package let fulfilment: (_ whole: Value) -> Fulfilment?
    }

    package struct Fulfilment {
        /// The elements that were inserted, or that replaced others; nil for a removal.
        package let new: Value?
    }

    let kind: KeyValueChangeKind
    let indexes: RangeSet<Int>?
    let name: String?
    /// Compares the change announced at the beginning of a manual notification with the one announced at its end.
    let isSame: (AnnouncedChange) -> Bool
    /// Finds the elements to remove or replace in the value before the change, and prepares `Plan.fulfilment`.
    ///
    /// `Plan.fulfilment` later checks that the announced change was made. Returns nil if the announced indexes are not inside the value, or
    /// if the change sets the whole value.
    package let plan: (_ whole: Value) -> Plan?

    static var setting: AnnouncedChange {
        AnnouncedChange(kind: .setting, indexes: nil, name: "a setting", isSame: { $0.kind == .setting }, plan: { _ in nil })
    }
}

extension AnnouncedChange where Value: RangeReplaceableCollection & RandomAccessCollection, Value.Index == Int {
    package static func elements(_ kind: KeyValueChangeKind, at indexes: RangeSet<Int>) -> AnnouncedChange {
        if kind == .setting { return setting }
        return AnnouncedChange(
            kind: kind, indexes: indexes, name: "\(kind) at \(indexes)", isSame: { $0.kind == kind && $0.indexes == indexes },
            plan: { whole in
                let count = indexes.count
                // The indexes of an insertion are positions after the insertion, so compare them with the count after it.
                let (larger, isTooLarge) = whole.count.addingReportingOverflow(kind == .insertion ? count : 0)
                if isTooLarge || !indexes.isInside(larger) { return nil }
                let after = kind == .removal ? larger - count : larger
                return Plan(
                    old: kind == .insertion ? nil : Self.elements(of: whole, at: indexes), isEmpty: count == 0,
                    fulfilment: { new in
                        guard new.count == after else { return nil }
                        if kind == .removal { return Fulfilment(new: nil) }
                        return Fulfilment(new: Self.elements(of: new, at: indexes))
                    })
            })
    }

    private static func elements(of whole: Value, at indexes: RangeSet<Int>) -> Value {
        var picked = Value()
        for range in indexes.ranges {
            let start = whole.startIndex
            picked.append(contentsOf: whole[start + range.lowerBound..<start + range.upperBound])
        }
        return picked
    }
}

extension AnnouncedChange {
    static func mutation<Element>(_ mutation: KeyValueSetMutation, _ using: Set<Element>) -> AnnouncedChange where Value == Set<Element> {
        let kind: KeyValueChangeKind =
            switch mutation {
            case .union: .insertion
            case .minus, .intersect: .removal
            case .set: .replacement
            }
        return AnnouncedChange(
            kind: kind, indexes: nil, name: "\(mutation) using \(using.count) elements", isSame: { $0.kind == kind },
            plan: { whole in
                let after: Set<Element> =
                    switch mutation {
                    case .union: whole.union(using)
                    case .minus: whole.subtracting(using)
                    case .intersect: whole.intersection(using)
                    case .set: using
                    }
                let (gone, come) = (whole.subtracting(after), after.subtracting(whole))
                return Plan(
                    old: kind == .insertion ? nil : gone, isEmpty: gone.isEmpty && come.isEmpty,
                    fulfilment: { $0 == after ? Fulfilment(new: kind == .removal ? nil : come) : nil })
            })
    }
}
