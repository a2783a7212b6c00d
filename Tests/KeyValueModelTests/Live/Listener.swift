import KeyValueModel

/// The observer of a live program: what it has been told, and what its handlers do besides.
final class Listener {
    var calls: [Call] = []
    /// Whether a batch is at its end, so that what is told now is told by it.
    var isAtEndOfBatch = false
    /// What a handler does besides listening.
    var react: (ModelObservation) -> Void = { _ in }

    func hear(_ observation: ModelObservation, _ told: Told) {
        calls.append(Call(observation.id, told, in: isAtEndOfBatch ? .ofBatch(observation.node) : observation.ofKey))
        if observation.reaction.isDue(in: told.phase) { react(observation) }
    }
}
