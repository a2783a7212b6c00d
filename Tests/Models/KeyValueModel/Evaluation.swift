/// What an evaluation of a key has found.
struct Evaluation {
    private(set) var value: Value
    /// What accessors have reported: what the key depends on until it is evaluated again.
    var reads: Places
    /// The property whose value is the value of the key; nil if the value has been made from something.
    let source: Place?
    /// The property with an empty collection from which the value, another empty one, has been made.
    let lookalike: Place?

    init(of key: Key, _ node: Int, in nodes: [Node]) {
        var reader = Reader(nodes)
        value = reader.value(of: key, node)
        reads = reader.read
        lookalike = reader.lookalike
        source = value.isCollection || key.isPlainChain ? reader.source : nil
    }

    /// The same reads, for the value of another evaluation.
    func withValue(_ value: Value) -> Evaluation {
        var evaluation = self
        evaluation.value = value
        return evaluation
    }
}

extension Value {
    fileprivate var isCollection: Bool {
        switch self {
        case .ints, .intSet: true
        case .none, .int, .node: false
        }
    }
}

extension Model {
    /// Evaluates the key of an observation, without following what it reads.
    func evaluation(of observation: ModelObservation) -> Evaluation { Evaluation(of: observation.key, observation.node, in: nodes) }

    /// The last evaluation that followed what the key of an observation reads.
    func followed(by observation: ModelObservation) -> Evaluation? { evaluations[observation.ofKey] }

    /// Evaluates the key of an observation, and follows what it reads from now on.
    mutating func follow(_ observation: ModelObservation) { evaluations[observation.ofKey] = evaluation(of: observation) }

    /// Evaluates the keys that depend on a place, after a change of it.
    mutating func evaluate(after place: Place) {
        for observation in observations where followed(by: observation)?.reads.contains(place) ?? false { follow(observation) }
    }
}
