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
        case .a: observe(observation, root, \.a, Value.int)
        case .items: observe(observation, root, \.items, Value.ints)
        case .set: observe(observation, root, \.set, Value.intSet)
        case .itemsCount: observe(observation, root, \.items.count, Value.int)
        case .itemsTotal: observe(observation, root, \.itemsTotal, Value.int)
        default: preconditionFailure("Not a key of the base class: \(observation.key).")
        }
    }

    private func observeKeyOfSubject(_ observation: ModelObservation, _ root: Subject) {
        func optionalInt(_ value: Int?) -> Value { value.map(Value.int) ?? .none }
        func optionalNode(_ value: Base?) -> Value { value.map { .node($0.number) } ?? .none }
        switch observation.key {
        case .a, .items, .set, .itemsCount, .itemsTotal: preconditionFailure("A key of the base class: \(observation.key).")
        case .b: observe(observation, root, \.b, Value.int)
        case .quiet: observe(observation, root, \.quiet, Value.int)
        case .next: observe(observation, root, \.next, optionalNode)
        case .inner: observe(observation, root, \.inner, optionalNode)
        case .part: observe(observation, root, \.part, optionalNode)
        case .outside: observe(observation, root, \.outside, Value.int)
        case .sum: observe(observation, root, \.sum, Value.int)
        case .doubleSum: observe(observation, root, \.doubleSum, Value.int)
        case .diamond: observe(observation, root, \.diamond, Value.int)
        case .quietDouble: observe(observation, root, \.quietDouble, Value.int)
        case .choice: observe(observation, root, \.choice, Value.int)
        case .label: observe(observation, root, \.label, Value.int)
        case .nextA: observe(observation, root, \.next?.a, optionalInt)
        case .nextNextA: observe(observation, root, \.next?.next?.a, optionalInt)
        case .innerA: observe(observation, root, \.inner.a, Value.int)
        case .innerInnerA: observe(observation, root, \.inner.inner.a, Value.int)
        case .innerNextA: observe(observation, root, \.inner.next?.a, optionalInt)
        case .partA: observe(observation, root, \.part.a, Value.int)
        case .innerPartA: observe(observation, root, \.inner.part.a, Value.int)
        case .innerQuiet: observe(observation, root, \.inner.quiet, Value.int)
        case .innerSum: observe(observation, root, \.inner.sum, Value.int)
        case .innerChoice: observe(observation, root, \.inner.choice, Value.int)
        case .nextSum: observe(observation, root, \.next?.sum, optionalInt)
        case .innerItems: observe(observation, root, \.inner.items, Value.ints)
        case .partItems: observe(observation, root, \.part.items, Value.ints)
        case .innerInnerItems: observe(observation, root, \.inner.inner.items, Value.ints)
        case .innerPartItems: observe(observation, root, \.inner.part.items, Value.ints)
        case .innerSet: observe(observation, root, \.inner.set, Value.intSet)
        case .partSet: observe(observation, root, \.part.set, Value.intSet)
        case .nextItems: observe(observation, root, \.next?.items) { $0.map(Value.ints) ?? .none }
        case .nextItemsCount: observe(observation, root, \.next?.items.count, optionalInt)
        case .innerItemsCount: observe(observation, root, \.inner.items.count, Value.int)
        }
    }

    private func observe<Root: Base, Property: Equatable>(
        _ observation: ModelObservation, _ root: Root, _ keyPath: KeyPath<Root, Property>, _ value: @escaping (Property) -> Value
    ) {
        let controller = controllers[observation.controller]
        let tag = ObservationTag("\(observation.id)")
        let removing: RemovingDuplicates<Property>? = observation.removesDuplicates ? .duplicates : nil
        removals[observation.id] = (observation, { controller.unobserve(root, keyPath, tag: tag) })
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
