import KeyValueModel
import SafeKVO

/// Batches, and changes that are announced by hand.
extension LiveProgram {
    func batch(_ body: [Step]) {
        batchDepth += 1
        withBatchedChanges {
            for step in body { run(step) }
            batchDepth -= 1
            listener.isAtEndOfBatch = batchDepth == 0
        }
        listener.isAtEndOfBatch = false
    }

    /// What is done with a place whose property is of any type.
    private func at<Result>(_ place: Place, _ body: some PlaceVisitor<Result>) -> Result {
        switch place.property {
        case .a: body.visit(nodes[place.node], \.a)
        case .items: body.visit(nodes[place.node], \.items)
        case .set: body.visit(nodes[place.node], \.set)
        case .b: body.visit(subjects[place.node], \.b)
        case .quiet: body.visit(subjects[place.node], \.quiet)
        case .next: body.visit(subjects[place.node], \.next)
        case .inner: body.visit(subjects[place.node], \.inner)
        case .part: body.visit(subjects[place.node], \.part)
        case .level: body.visit(nodes[place.node], \.level)
        case .text: body.visit(nodes[place.node], \.text)
        case .own: body.visit(subjects[place.node], \.own)
        case .shade: body.visit(nodes[place.node], \.shade)
        case .width: body.visit(subjects[place.node], \.width)
        case .tags: body.visit(nodes[place.node], \.tags)
        case .atomic: body.visit(subjects[place.node], \.atomic)
        case .fixed: body.visit(subjects[place.node], \.fixed)
        case .manual: body.visit(subjects[place.node], \.manual)
        case .weak: body.visit(subjects[place.node], \.weak)
        case .accessed: body.visit(subjects[place.node], \.accessed)
        case .outside: body.visit(subjects[place.node], \.outside)
        case .sum: body.visit(subjects[place.node], \.sum)
        }
    }

    /// The scoped form.
    func announce(_ place: Place, _ body: [Step]) { at(place, ScopedAnnouncement(program: self, body: body)) }

    /// The plain pair.
    func pair(_ place: Place, _ body: [Step]) { at(place, PlainPair(program: self, body: body)) }

    func didAlone(_ place: Place) { at(place, PlainDid()) }

    /// The form for some elements of an array: as the model's edits say, but announced and made apart.
    func announceElements(of keyPath: ReferenceWritableKeyPath<Base, [Int]>, _ node: Base, _ edit: ArrayEdit) {
        let count = node[keyPath: keyPath].count
        guard edit.isPossible(in: count) else { return }
        let (kind, indexes): (KeyValueChangeKind, RangeSet<Int>) =
            switch edit {
            case .append(let new): (.insertion, RangeSet(count..<count + new.count))
            case .insert(let new, let wish):
                (.insertion, RangeSet(ArrayEdit.position(wish, in: count + 1)..<ArrayEdit.position(wish, in: count + 1) + new.count))
            case .remove(let wish): (.removal, RangeSet(ArrayEdit.position(wish, in: count)..<ArrayEdit.position(wish, in: count) + 1))
            case .removeLast: (.removal, RangeSet(count - 1..<count))
            case .removeAll: (.removal, RangeSet(0..<count))
            case .replace(let wish, _):
                (.replacement, RangeSet(ArrayEdit.position(wish, in: count)..<ArrayEdit.position(wish, in: count) + 1))
            case .swap(let left, let right):
                (.replacement, RangeSet([left, right].map { ArrayEdit.position($0, in: count) }.sorted().map { $0..<$0 + 1 }))
            case .replaceRange(let wish, let length, let new):
                announcement(of: ArrayEdit.range(at: wish, length: length, in: count), new.count)
            case .sort: (.setting, RangeSet())
            }
        node.withChange(kind, valuesAt: indexes, of: keyPath) { edit.perform(on: &node[keyPath: keyPath]) }
    }

    private func announcement(of range: Range<Int>, _ newCount: Int) -> (KeyValueChangeKind, RangeSet<Int>) {
        if newCount == range.count { return (.replacement, RangeSet(range)) }
        if range.isEmpty { return (.insertion, RangeSet(range.lowerBound..<range.lowerBound + newCount)) }
        return newCount == 0 ? (.removal, RangeSet(range)) : (.setting, RangeSet())
    }

    func announceSet(_ node: Base, _ edit: SetEdit) {
        if case .symmetricDifference = edit { return node.withChange(of: \.set) { edit.perform(on: &node.set) } }
        let (mutation, members): (KeyValueSetMutation, Set<Int>) =
            switch edit {
            case .insert(let member): (.union, [member])
            case .remove(let member): (.minus, [member])
            case .union(let other): (.union, other)
            case .minus(let other): (.minus, other)
            case .intersect(let other): (.intersect, other)
            case .replace(let other), .symmetricDifference(let other): (.set, other)
            }
        node.withChange(of: \.set, withSetMutation: mutation, using: members) { edit.perform(on: &node.set) }
    }
}
