/// A slow, obviously right model of what observers hear: for each change it works out anew who is told what.
package struct Model {
    /// The objects as they are now.
    package internal(set) var nodes = Node.start
    /// What the observers have been told, in an order that the rules allow.
    package internal(set) var calls: [Call] = []
    /// The observations that there are, in order of registration.
    package internal(set) var observations: [ModelObservation] = []

    /// What is wrong with the model.
    let flaw: Flaw?
    /// The number of manual notifications under way, with the calls that they make.
    var manualDepth = 0
    /// The changes that are announced by hand and not ended right now.
    var announced: [Place] = []
    var registrations = 0
    var batchDepth = 0
    var isAtEndOfBatch = false
    /// The number of changes whose ends were told.
    var changes = 0
    /// The number of the last change of which an observation of values has considered the value, by registration.
    var lastChanges: [Int: Int] = [:]
    /// The deliveries under way, the outermost first.
    var deliveries: [OpenDelivery] = []
    /// The number of handlers that are setting a property now, one inside the other.
    var settingDepth = 0
    /// The number of properties that handlers have set in the step under way.
    package internal(set) var settings = 0
    /// For each observation whose handler sets a property, whether it does so in each of its calls of the step under way.
    package internal(set) var decisions: [Int: [Bool]] = [:]
    /// What is to be told at the end of the batch.
    var pending: [Pending] = []
    /// The values before the first changes of the batch, for keys of which somebody asked for them then; nil for others.
    var firstOlds: [Call.Sequence: Value?] = [:]
    /// The last evaluation of each observed key, which decides what the key depends on.
    var evaluations: [Call.Sequence: Evaluation] = [:]
    /// The value that each observation of values was handed last, by registration.
    var lastValues: [Int: Value] = [:]
    /// The places that each observation depended on when it was made, for a flaw.
    var registeredReads: [Int: Places] = [:]

    package init(flaw: Flaw? = nil) {
        self.flaw = flaw
    }

    /// Takes out what the observers have been told, and what their handlers were allowed.
    package mutating func takeCalls() -> [Call] {
        defer {
            calls = []
            settings = 0
            decisions = [:]
        }
        return calls
    }

    /// Runs one step.
    package mutating func run(_ step: Step) {
        switch step {
        case .assign(let assignment): assign(assignment)
        case .changeInPlace(.items(let node, let edit)) where !edit.isPossible(in: nodes[node].items.count): break
        case .changeInPlace(.tags(let node, let edit)) where !edit.isPossible(in: nodes[node].tags.count): break
        case .changeInPlace(.level(let node, let summand)):
            announce(.assignment(.int(nodes[node].level + summand)), of: Place(node, .level)) { $0.nodes[node].level += summand }
        // The override has no mutation in place: Swift gets a copy, changes it and sets it.
        case .changeInPlace(.tags(let node, let edit)) where Node.overrides(node):
            assign(.tags(node, edit.effect(on: nodes[node].tags).result))
        case .changeInPlace(let change): announce(.setting, of: change.place) { change.perform(on: &$0.nodes) }
        case .editItems(let root, let route, let edit): editItems(target(root, route), edit)
        case .editSet(let root, let route, let edit): editSet(target(root, route), edit)
        case .editTags(let node, let edit): editTags(node, edit)
        case .observe(let observation): observe(observation)
        case .unobserve(let id): remove { $0.id == id }
        case .unobserveNode(let controller, let node): remove { $0.controller == controller && $0.node == node }
        case .unobserveAll(let controller): remove { $0.controller == controller }
        case .batch(let body): batch(body)
        case .announce(let place, let body), .pair(let place, let body): byHand { $0.announceByHand(place, body) }
        case .announceItems(let node, let edit): byHand { $0.editItems(node, edit) }
        case .announceTags(let node, let edit): byHand { $0.editTags(node, edit, isByHand: true) }
        case .announceSet(let node, let edit): byHand { $0.editSet(node, edit) }
        case .didAlone(let place): if flaw == .didAloneIsHeard { announce(.setting, of: place) { _ in } }
        case .foreign(let node, let value): nodes[node].foreign = value
        case .death: die()
        }
    }

    /// The node that a proxy edits.
    private func target(_ root: Int, _ route: Route) -> Int {
        switch route {
        case .own: root
        case .inner: nodes[root].inner
        case .part: nodes[root].part
        case .innerPart: nodes[nodes[root].inner].part
        }
    }

    private mutating func editItems(_ node: Int, _ edit: ArrayEdit) {
        guard edit.isPossible(in: nodes[node].items.count) else { return }
        let (change, result) = edit.effect(on: nodes[node].items)
        announce(change, of: Place(node, .items)) { $0.nodes[node].items = result }
    }

    /// An edit that goes through the setter, which may keep something else.
    ///
    /// A proxy has announced the elements. A manual notification has announced only where they are, so that as many are right.
    private mutating func editTags(_ node: Int, _ edit: ArrayEdit, isByHand: Bool = false) {
        guard edit.isPossible(in: nodes[node].tags.count) else { return }
        let (change, result) = edit.effect(on: nodes[node].tags)
        let kept = flaw == .overriddenSetterIsBypassed ? result : Node.kept(result, by: node)
        let isFulfilled = kept == result || isByHand && kept.count == result.count || flaw == .announcementNeedNotBeFulfilled
        let end = isFulfilled ? change.fulfilled(in: kept) : .setting
        announce(change, of: Place(node, .tags), endingAs: end) { $0.nodes[node].tags = kept }
    }

    private mutating func editSet(_ node: Int, _ edit: SetEdit) {
        var (change, result) = edit.effect(on: nodes[node].set)
        if flaw == .unionTellsWhatWasThere, case .elements(.insertion, _, _, _) = change {
            change = .elements(.insertion, nil, old: nil, new: .intSet(result))
        }
        announce(change, of: Place(node, .set)) { $0.nodes[node].set = result }
    }

    mutating func assign(_ assignment: Assignment) {
        let place = assignment.place
        if flaw == .equalAssignmentIsSilent, Reader(nodes).value(at: place) == assignment.result { return }
        if place.property.isSilent && (place.property != .quiet || flaw != .quietAssignmentIsHeard) {
            assignment.perform(on: &nodes)
        } else {
            announce(.assignment(assignment.result), of: place) { assignment.perform(on: &$0.nodes) }
        }
    }

    /// Lets the mortal node die: weak references to it become nil, and nobody is told of that.
    private mutating func die() {
        nodes[Node.mortal] = Node.start[Node.mortal]
        for node in nodes.indices where nodes[node].weak == Node.mortal {
            if flaw == .deathIsHeard { assign(.weak(node, nil)) } else { nodes[node].weak = nil }
        }
        for key in evaluations.keys { evaluations[key]?.reads.remove(node: Node.mortal) }
    }

    private mutating func byHand(_ announce: (inout Model) -> Void) {
        manualDepth += 1
        announce(&self)
        manualDepth -= 1
    }

    /// A manual notification: one change, whatever is done to the place inside.
    private mutating func announceByHand(_ place: Place, _ body: [Step]) {
        // Inside another one it is a part of that.
        if isAnnounced(place), flaw != .nestedPairIsToldTwice { return run(body) }
        var hearers = hearers(of: .setting, place)
        if flaw == .announcedIsNoChangeOfTheObject { hearers.removeAll { $0.observation.key == .entire } }
        tellPrior(hearers, of: place, isByHand: true)
        guard flaw == .nestedPairIsToldTwice else {
            announced.append(place)
            run(body)
            announced.removeLast()
            let all = withNewcomers(hearers, .setting, place, isByHand: true)
            return tellAfter(all.filter { isConcerned($0.observation, by: place) }, of: place, isByHand: true)
        }
        run(body)
        tellAfter(hearers, of: place)
    }

    /// `true` if a change of a place is announced and not ended.
    func isAnnounced(_ place: Place) -> Bool { announced.contains(place) }

    /// `true` if the end of a manual notification is told to an observation: if it still leads through the place.
    private func isConcerned(_ observation: ModelObservation, by place: Place) -> Bool {
        !place.property.isComputed || followed(by: observation)?.reads.contains(place) ?? false
    }

    mutating func run(_ body: [Step]) {
        for step in body { run(step) }
    }

    /// Announces a change: to all who depend on the place before it is made, by one prior and one after call.
    ///
    /// `end` is the change as it has turned out to be, if that is not certain from the beginning.
    mutating func announce(_ change: Change, of place: Place, endingAs end: Change? = nil, _ perform: (inout Model) -> Void) {
        if isAnnounced(place), flaw != .assignmentInsideIsHeard { return perform(&self) }
        let hearers = hearers(of: change, place)
        tellPrior(hearers, of: place)
        perform(&self)
        tellAfter(withNewcomers(hearers, change, place).map { $0.ending(as: end) }, of: place)
    }
}
