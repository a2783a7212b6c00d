import KeyValueModel
import SafeKVO

/// Runs programs on real objects.
final class LiveProgram {
    let subjects: [Subject]
    let nodes: [Base]
    let listener = Listener()
    let controllers: [ObservationController<Listener>]
    /// How each observation is removed.
    var removals: [Int: (observation: ModelObservation, remove: () -> Int)] = [:]
    var batchDepth = 0
    /// How many observations the step under way has removed.
    var removed = 0

    static let controllerCount = 2

    init() {
        let parts = (Node.subjects..<Node.count).map { Base($0) }
        let start = Node.start
        subjects = (0..<Node.subjects).map { Subject($0, part: parts[start[$0].part - Node.subjects]) }
        nodes = subjects + parts
        let listener = listener
        controllers = (0..<Self.controllerCount).map { _ in ObservationController(observer: listener) }
        for subject in subjects { subject.inner = subjects[start[subject.number].inner] }
        listener.react = { [unowned self] in react($0) }
    }

    /// Takes the cycles of objects apart.
    func finish() {
        for controller in controllers { controller.invalidate() }
        listener.react = { _ in }
        removals = [:]
        for subject in subjects {
            subject.next = nil
            subject.inner = nil
            subject.part = nodes[Node.subjects]
        }
    }

    /// The nodes as the model has them.
    var state: [Node] {
        nodes.map { node in
            var state = Node.start[node.number]
            (state.a, state.items, state.set) = (node.a, node.items, node.set)
            guard let subject = node as? Subject else { return state }
            (state.b, state.quiet, state.foreign) = (subject.b, subject.quiet, subject.foreign)
            (state.next, state.inner, state.part) = (subject.next?.number, subject.inner.number, subject.part.number)
            return state
        }
    }

    func takeCalls() -> [Call] {
        defer { listener.calls = [] }
        return listener.calls
    }

    /// Runs one step.
    func run(_ step: Step) {
        switch step {
        case .assign(let assignment): assign(assignment)
        case .changeInPlace(let change): changeInPlace(change)
        case .observe(let observation): observe(observation)
        case .unobserve(let id): remove(id)
        case .unobserveNode(let controller, let node):
            removed += controllers[controller].unobserve(nodes[node])
            removals = removals.filter { $0.value.observation.controller != controller || $0.value.observation.node != node }
        case .unobserveAll(let controller):
            removed += controllers[controller].unobserveAll()
            removals = removals.filter { $0.value.observation.controller != controller }
        case .foreign(let node, let value): subjects[node].foreign = value
        case .editItems(let node, let route, let edit): editItems(node, route, edit)
        case .editSet(let node, let route, let edit): editSet(node, route, edit)
        case .batch(let body): batch(body)
        case .announce(let place, let body): announce(place, body)
        case .announceItems(let node, let edit): announceItems(nodes[node], edit)
        case .announceSet(let node, let edit): announceSet(nodes[node], edit)
        case .pair(let place, let body): pair(place, body)
        case .didAlone(let place): didAlone(place)
        }
    }

    private func assign(_ assignment: Assignment) {
        switch assignment {
        case .a(let node, let value): nodes[node].a = value
        case .b(let node, let value): subjects[node].b = value
        case .quiet(let node, let value): subjects[node].quiet = value
        case .next(let node, let value): subjects[node].next = value.map { subjects[$0] }
        case .inner(let node, let value): subjects[node].inner = subjects[value]
        case .part(let node, let value): subjects[node].part = nodes[value]
        case .items(let node, let value): nodes[node].items = value
        case .set(let node, let value): nodes[node].set = value
        }
    }

    private func changeInPlace(_ change: InPlaceChange) {
        switch change {
        case .a(let node, let summand): nodes[node].a += summand
        case .items(let node, let edit):
            if edit.isPossible(in: nodes[node].items.count) { edit.perform(on: &nodes[node].items, nodes[node].items.count) }
        case .set(let node, let edit): edit.perform(on: &nodes[node].set)
        }
    }

    private func react(_ observation: ModelObservation) {
        switch observation.reaction {
        case .none: break
        case .removesItself: remove(observation.id)
        case .removes(let id, _): remove(id)
        case .adds(let other, _): observe(other)
        }
    }

    private func remove(_ id: Int) {
        if let known = removals.removeValue(forKey: id) { removed += known.remove() }
    }
}
