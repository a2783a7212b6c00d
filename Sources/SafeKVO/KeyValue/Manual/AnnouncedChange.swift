/// What is announced by hand to come: which sort of change, and how to see whether it was carried out.
package struct AnnouncedChange<Value> {
    /// What an announcement means for the value that it begins with.
    package struct Plan {
        /// The elements that go, of a removal or a replacement.
        package let old: Value?
        /// Whether no element comes or goes.
        package let isEmpty: Bool
        /// Looks at the value afterwards: the elements that came if the announcement was carried out, nothing at all if it was not.
        package let fulfilment: (_ whole: Value) -> Fulfilment?
    }

    package struct Fulfilment {
        /// The elements that came, of an insertion or a replacement.
        package let new: Value?
    }

    let kind: KeyValueChangeKind
    let indexes: RangeSet<Int>?
    /// For messages; nil if the program has not announced it itself, so that there is nothing to be warned of.
    let name: String?
    /// Whether an announcement at the end names the same change as this one at the beginning.
    let isSame: (AnnouncedChange) -> Bool
    /// What it means for a value; nil if it cannot be done to that.
    package let plan: (_ whole: Value) -> Plan?

    /// A change of the whole value.
    static var setting: AnnouncedChange {
        AnnouncedChange(kind: .setting, indexes: nil, name: "a setting", isSame: { $0.kind == .setting }, plan: { _ in nil })
    }
}

extension AnnouncedChange where Value: RangeReplaceableCollection & RandomAccessCollection, Value.Index == Int {
    /// A change of the elements at some positions.
    package static func elements(_ kind: KeyValueChangeKind, at indexes: RangeSet<Int>) -> AnnouncedChange {
        if kind == .setting { return setting }
        return AnnouncedChange(
            kind: kind, indexes: indexes, name: "\(kind) at \(indexes)", isSame: { $0.kind == kind && $0.indexes == indexes },
            plan: { whole in
                let count = indexes.count
                // An insertion's indexes are those that its elements have at the end.
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
    /// A change of some elements of a set.
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
