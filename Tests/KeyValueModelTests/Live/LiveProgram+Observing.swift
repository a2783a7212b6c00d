import KeyValueModel
import SafeKVO

extension LiveProgram {
    /// Observes what an observation of the model stands for.
    func observe(_ observation: ModelObservation) {
        let node = observation.node
        if removals[observation.id] != nil { return }
        if observation.key.isOfBase {
            if node < Node.subjects, !observation.isSpelledByBase {
                observe(observation, subjects[node])
            } else {
                observe(observation, nodes[node])
            }
            return
        }
        observeKeyOfSubject(observation, subjects[node])
    }

    /// The keys of the base class, by the key paths of it or of the subclass.
    private func observe<Root: Base>(_ observation: ModelObservation, _ root: Root) {
        switch observation.key {
        case .entire: observe(observation, root, \.self) { .node($0.number) }
        case .a: observe(observation, root, \.a, Value.int)
        case .level: observe(observation, root, \.level, Value.int)
        case .text: observe(observation, root, \.text, Value.int)
        case .items: observe(observation, root, \.items, Value.ints)
        case .shade: observe(observation, root, \.shade, Value.int)
        case .tags: observe(observation, root, \.tags, Value.ints)
        case .same: observe(observation, root, \.same, Value.ints)
        case .sorted: observe(observation, root, \.sorted, Value.ints)
        case .bounded: observe(observation, root, \.bounded, Value.ints)
        case .set: observe(observation, root, \.set, Value.intSet)
        case .itemsCount: observe(observation, root, \.items.count, Value.int)
        case .itemsTotal: observe(observation, root, \.itemsTotal, Value.int)
        default: preconditionFailure("Not a key of the base class: \(observation.key).")
        }
    }

    private func optionalInt(_ value: Int?) -> Value { value.map(Value.int) ?? .none }

    private func optionalInts(_ value: [Int]?) -> Value { value.map(Value.ints) ?? .none }

    private func optionalNode(_ value: Base?) -> Value { value.map { .node($0.number) } ?? .none }

    private func observeKeyOfSubject(_ observation: ModelObservation, _ root: Subject) {
        switch observation.key {
        case .b: observe(observation, root, \.b, Value.int)
        case .quiet: observe(observation, root, \.quiet, Value.int)
        case .own: observe(observation, root, \.own, Value.int)
        case .width: observe(observation, root, \.width, Value.int)
        case .next: observe(observation, root, \.next, optionalNode)
        case .inner: observe(observation, root, \.inner, optionalNode)
        case .part: observe(observation, root, \.part, optionalNode)
        case .atomic: observe(observation, root, \.atomic, optionalNode)
        case .manual: observe(observation, root, \.manual, optionalNode)
        case .weak: observe(observation, root, \.weak, optionalNode)
        case .accessed: observe(observation, root, \.accessed, optionalNode)
        case .outside: observe(observation, root, \.outside, Value.int)
        case .sum: observe(observation, root, \.sum, Value.int)
        case .doubleSum: observe(observation, root, \.doubleSum, Value.int)
        case .diamond: observe(observation, root, \.diamond, Value.int)
        case .quietDouble: observe(observation, root, \.quietDouble, Value.int)
        case .ownDouble: observe(observation, root, \.ownDouble, Value.int)
        case .choice: observe(observation, root, \.choice, Value.int)
        case .label: observe(observation, root, \.label, Value.int)
        case .summary: observe(observation, root, \.summary, Value.int)
        case .manualDouble: observe(observation, root, \.manualDouble, Value.int)
        case .accessedDouble: observe(observation, root, \.accessedDouble, Value.int)
        case .fixedSame: observe(observation, root, \.fixedSame, Value.ints)
        default: observePath(observation, root)
        }
    }

    /// The keys that lead through other nodes.
    private func observePath(_ observation: ModelObservation, _ root: Subject) {
        switch observation.key {
        case .nextA: observe(observation, root, \.next?.a, optionalInt)
        case .nextNextA: observe(observation, root, \.next?.next?.a, optionalInt)
        case .innerA: observe(observation, root, \.inner.a, Value.int)
        case .innerInnerA: observe(observation, root, \.inner.inner.a, Value.int)
        case .innerNextA: observe(observation, root, \.inner.next?.a, optionalInt)
        case .partA: observe(observation, root, \.part.a, Value.int)
        case .innerPartA: observe(observation, root, \.inner.part.a, Value.int)
        case .innerQuiet: observe(observation, root, \.inner.quiet, Value.int)
        case .innerLevel: observe(observation, root, \.inner.level, Value.int)
        case .innerShade: observe(observation, root, \.inner.shade, Value.int)
        case .innerWidth: observe(observation, root, \.inner.width, Value.int)
        case .innerTags: observe(observation, root, \.inner.tags, Value.ints)
        case .nextTags: observe(observation, root, \.next?.tags, optionalInts)
        case .innerSum: observe(observation, root, \.inner.sum, Value.int)
        case .innerChoice: observe(observation, root, \.inner.choice, Value.int)
        case .nextSum: observe(observation, root, \.next?.sum, optionalInt)
        case .innerOutside: observe(observation, root, \.inner.outside, Value.int)
        case .nextOutside: observe(observation, root, \.next?.outside, optionalInt)
        case .innerText: observe(observation, root, \.inner.text, Value.int)
        case .partText: observe(observation, root, \.part.text, Value.int)
        case .innerItems: observe(observation, root, \.inner.items, Value.ints)
        case .partItems: observe(observation, root, \.part.items, Value.ints)
        case .innerInnerItems: observe(observation, root, \.inner.inner.items, Value.ints)
        case .innerPartItems: observe(observation, root, \.inner.part.items, Value.ints)
        case .innerSet: observe(observation, root, \.inner.set, Value.intSet)
        case .partSet: observe(observation, root, \.part.set, Value.intSet)
        case .nextItems: observe(observation, root, \.next?.items, optionalInts)
        case .nextNextItems: observe(observation, root, \.next?.next?.items, optionalInts)
        case .nextSame: observe(observation, root, \.next?.same, optionalInts)
        case .nextSet: observe(observation, root, \.next?.set) { $0.map(Value.intSet) ?? .none }
        case .innerSame: observe(observation, root, \.inner.same, Value.ints)
        case .innerSorted: observe(observation, root, \.inner.sorted, Value.ints)
        case .innerBounded: observe(observation, root, \.inner.bounded, Value.ints)
        case .nextItemsCount: observe(observation, root, \.next?.items.count, optionalInt)
        case .innerItemsCount: observe(observation, root, \.inner.items.count, Value.int)
        default: observePathOverPlainStorage(observation, root)
        }
    }

    /// The keys that lead through references that are no plain observed properties.
    private func observePathOverPlainStorage(_ observation: ModelObservation, _ root: Subject) {
        switch observation.key {
        case .manualA: observe(observation, root, \.manual.a, Value.int)
        case .manualLevel: observe(observation, root, \.manual.level, Value.int)
        case .manualText: observe(observation, root, \.manual.text, Value.int)
        case .manualItems: observe(observation, root, \.manual.items, Value.ints)
        case .manualInnerA: observe(observation, root, \.manual.inner.a, Value.int)
        case .innerManualA: observe(observation, root, \.inner.manual.a, Value.int)
        case .manualFixedA: observe(observation, root, \.manual.fixed.a, Value.int)
        case .manualAtomicA: observe(observation, root, \.manual.atomic.a, Value.int)
        case .manualAccessedA: observe(observation, root, \.manual.accessed.a, Value.int)
        case .weakA: observe(observation, root, \.weak?.a, optionalInt)
        case .weakText: observe(observation, root, \.weak?.text, optionalInt)
        case .innerWeakA: observe(observation, root, \.inner.weak?.a, optionalInt)
        case .weakAtomicLevel: observe(observation, root, \.weak?.atomic.level, optionalInt)
        case .weakFixedA: observe(observation, root, \.weak?.fixed.a, optionalInt)
        case .weakItems: observe(observation, root, \.weak?.items, optionalInts)
        case .accessedA: observe(observation, root, \.accessed.a, Value.int)
        case .accessedText: observe(observation, root, \.accessed.text, Value.int)
        case .accessedAccessedA: observe(observation, root, \.accessed.accessed.a, Value.int)
        case .innerAccessedA: observe(observation, root, \.inner.accessed.a, Value.int)
        case .accessedItems: observe(observation, root, \.accessed.items, Value.ints)
        case .accessedItemsCount: observe(observation, root, \.accessed.items.count, Value.int)
        case .atomicA: observe(observation, root, \.atomic.a, Value.int)
        case .atomicLevel: observe(observation, root, \.atomic.level, Value.int)
        case .atomicText: observe(observation, root, \.atomic.text, Value.int)
        case .innerAtomicA: observe(observation, root, \.inner.atomic.a, Value.int)
        case .atomicItems: observe(observation, root, \.atomic.items, Value.ints)
        case .innerAtomicSet: observe(observation, root, \.inner.atomic.set, Value.intSet)
        case .fixedA: observe(observation, root, \.fixed.a, Value.int)
        case .fixedLevel: observe(observation, root, \.fixed.level, Value.int)
        case .fixedText: observe(observation, root, \.fixed.text, Value.int)
        case .innerFixedA: observe(observation, root, \.inner.fixed.a, Value.int)
        case .fixedItems: observe(observation, root, \.fixed.items, Value.ints)
        case .fixedItemsCount: observe(observation, root, \.fixed.items.count, Value.int)
        case .fixedSet: observe(observation, root, \.fixed.set, Value.intSet)
        case .innerFixedItems: observe(observation, root, \.inner.fixed.items, Value.ints)
        default: preconditionFailure("Not a key path of a subject: \(observation.key).")
        }
    }

    private func observe<Root: Base, Property: Equatable>(
        _ observation: ModelObservation, _ root: Root, _ keyPath: KeyPath<Root, Property>, _ value: @escaping (Property) -> Value
    ) {
        let controller = controllers[observation.controller]
        let tag = ObservationTag("\(observation.id)")
        let removing: RemovingDuplicates<Property>? = observation.removesDuplicates ? .duplicates : nil
        removals[observation.id] = (observation, { controller.unobserve(root, keyPath, tag: tag) })
        listener.beginning.insert(observation.id)
        defer { listener.beginning.remove(observation.id) }
        switch observation.form {
        case .value:
            controller.observe(root, keyPath, removing: removing, tag: tag) { listener, new in
                listener.hear(observation, Told(.value, new: value(new)))
            }
        case .change:
            let options = KeyValueObservingOptions(observation.options)
            controller.observe(root, keyPath, options: options, removing: removing, tag: tag) { listener, _, change in
                listener.hear(observation, Told(change, value))
            }
        }
    }
}
