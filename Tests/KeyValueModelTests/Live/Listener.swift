import KeyValueModel

/// The observer of a live program: what it has been told, and what its handlers do besides.
final class Listener {
    var calls: [Call] = []
    /// Whether a batch is at its end, so that what is told now is told by it.
    var isAtEndOfBatch = false
    /// The observations that are being made, whose handlers only listen.
    var beginning: Set<Int> = []
    /// The features that took part in calls.
    private var features = Features()
    /// What a handler does besides listening.
    var react: (ModelObservation) -> Void = { _ in }

    /// Takes out the features that took part in calls.
    func takeFeatures() -> Features {
        defer { features = Features() }
        return features
    }

    func hear(_ observation: ModelObservation, _ told: Told) {
        calls.append(Call(observation.id, told, in: isAtEndOfBatch ? .ofBatch(observation.node) : observation.ofKey))
        features.formUnion(Features(observation))
        if observation.reaction.isDue(in: told.phase), !beginning.contains(observation.id) { react(observation) }
    }
}
