import KeyValueModel
import SafeKVO

/// Runs programs on real objects.
@MainActor final class LiveProgram {
    let subjects: [Subject]
    let nodes: [Base]
    /// The node that only weak references lead to, besides this one.
    private var mortal: Subject
    let listener = Listener()
    let controllers: [ObservationController<Listener>]
    /// How each observation is removed.
    var removals: [Int: (observation: ModelObservation, remove: () -> Int)] = [:]
    var batchDepth = 0
    /// Whether the handler of an observation sets a property, in each of its calls: the model says where the rules decide what is heard.
    var decisions: [Int: [Bool]] = [:]
    /// How many observations the step under way has removed.
    var removed = 0

    nonisolated static let controllerCount = 2

    init() {
        let parts = (Node.subjects..<Node.count).map { Base($0) }
        subjects = (0..<Node.subjects).map { Self.subject($0, parts) }
        nodes = subjects + parts
        mortal = Self.subject(Node.mortal, parts)
        let listener = listener
        controllers = (0..<Self.controllerCount).map { _ in ObservationController(observer: listener) }
        for subject in subjects + [mortal] { connect(subject) }
        listener.react = { [unowned self] in react($0) }
    }

    private static func subject(_ number: Int, _ parts: [Base]) -> Subject {
        let node = Node.start[number]
        return Subject(
            number, part: parts[node.part - Node.subjects], atomic: parts[node.atomic - Node.subjects],
            fixed: parts[node.fixed - Node.subjects])
    }

    private func connect(_ subject: Subject) {
        let node = Node.start[subject.number]
        subject.inner = subjects[node.inner]
        subject.plainManual = subjects[node.manual]
        subject.plainAccessed = subjects[node.accessed]
    }

    /// Lets the mortal node die, and makes a new one.
    private func replaceMortal() {
        mortal = Self.subject(Node.mortal, Array(nodes[Node.subjects...]))
        connect(mortal)
    }

    /// Takes the cycles of objects apart.
    func finish() {
        for controller in controllers { controller.invalidate() }
        listener.react = { _ in }
        removals = [:]
        for subject in subjects {
            subject.next = nil
            subject.inner = nil
            subject.plainManual = nil
            subject.plainAccessed = nil
            subject.part = nodes[Node.subjects]
            subject.atomic = nodes[Node.subjects]
        }
    }

    /// The nodes as the model has them.
    var state: [Node] {
        (nodes + [mortal]).map { node in
            var state = Node.start[node.number]
            (state.a, state.items, state.set, state.level, state.foreign) = (node.a, node.items, node.set, node.level, node.foreign)
            (state.shade, state.tags) = (node.storedShade, node.tags)
            guard let subject = node as? Subject else { return state }
            (state.b, state.quiet, state.own) = (subject.b, subject.quiet, subject.own)
            state.width = subject.width - subject.b
            (state.next, state.inner, state.part) = (subject.next?.number, subject.inner.number, subject.part.number)
            (state.atomic, state.manual, state.accessed) = (subject.atomic.number, subject.manual.number, subject.accessed.number)
            state.weak = subject.weak?.number
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
        case .foreign(let node, let value): nodes[node].foreign = value
        case .death: replaceMortal()
        case .editTags(let node, let edit): edit.perform(on: nodes[node].mutableArrayValue(for: \.tags))
        case .editItems(let node, let route, let edit): editItems(node, route, edit)
        case .editSet(let node, let route, let edit): editSet(node, route, edit)
        case .batch(let body): batch(body)
        case .announce(let place, let body): announce(place, body)
        case .announceItems(let node, let edit): announceElements(of: \.items, nodes[node], edit)
        case .announceTags(let node, let edit): announceElements(of: \.tags, nodes[node], edit)
        case .announceSet(let node, let edit): announceSet(nodes[node], edit)
        case .pair(let place, let body): pair(place, body)
        case .didAlone(let place): didAlone(place)
        }
    }

    private func assign(_ assignment: Assignment) {
        switch assignment {
        case .a(let node, let value): (node == Node.mortal ? mortal : nodes[node]).a = value
        case .b(let node, let value): subjects[node].b = value
        case .quiet(let node, let value): subjects[node].quiet = value
        case .next(let node, let value): subjects[node].next = value.map { subjects[$0] }
        case .inner(let node, let value): subjects[node].inner = subjects[value]
        case .part(let node, let value): subjects[node].part = nodes[value]
        case .items(let node, let value): nodes[node].items = value
        case .set(let node, let value): nodes[node].set = value
        case .level(let node, let value): nodes[node].level = value
        case .own(let node, let value): subjects[node].own = value
        case .shade(let node, let value): nodes[node].shade = value
        case .width(let node, let value): subjects[node].width = value
        case .tags(let node, let value): nodes[node].tags = value
        case .atomic(let node, let value): subjects[node].atomic = nodes[value]
        case .manual(let node, let value): subjects[node].plainManual = subjects[value]
        case .weak(let node, let value): subjects[node].weak = value.map { $0 == Node.mortal ? mortal : subjects[$0] }
        case .accessed(let node, let value): subjects[node].plainAccessed = subjects[value]
        }
    }

    private func changeInPlace(_ change: InPlaceChange) {
        switch change {
        case .a(let node, let summand): nodes[node].a += summand
        case .level(let node, let summand): nodes[node].$level.update { $0 += summand }
        case .items(let node, let edit):
            if edit.isPossible(in: nodes[node].items.count) { edit.perform(on: &nodes[node].items) }
        case .tags(let node, let edit):
            if edit.isPossible(in: nodes[node].tags.count) { edit.perform(on: &nodes[node].tags) }
        case .set(let node, let edit): edit.perform(on: &nodes[node].set)
        }
    }

    private func react(_ observation: ModelObservation) {
        switch observation.reaction {
        case .none: break
        case .removesItself: remove(observation.id)
        case .removes(let id, _): remove(id)
        case .adds(let other, _): observe(other)
        case .sets(let assignment, _): set(assignment, observation)
        }
    }

    /// Makes an assignment in a handler, if the model does.
    private func set(_ assignment: Assignment, _ observation: ModelObservation) {
        guard var rest = decisions[observation.id], !rest.isEmpty else { return }
        let isAllowed = rest.removeFirst()
        decisions[observation.id] = rest
        guard isAllowed else { return }
        let wasAtEndOfBatch = listener.isAtEndOfBatch
        listener.isAtEndOfBatch = false
        assign(assignment)
        listener.isAtEndOfBatch = wasAtEndOfBatch
    }

    private func remove(_ id: Int) {
        if let known = removals.removeValue(forKey: id) { removed += known.remove() }
    }
}
