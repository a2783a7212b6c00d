/// The run that is going on, and the effects that wait.
final class Reactor: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything happens on one thread.
    static let shared = Reactor()

    /// The computation that runs.
    var reader: Vertex?
    /// The number of the last run.
    var runs = 0
    /// Effects that may have to run.
    private var effects: [Vertex?] = []
    private var batches = 0

    func add(_ effect: Vertex) { effects.append(effect) }

    func remove(_ effect: Vertex) {
        for index in effects.indices where effects[index] == effect { effects[index] = nil }
    }

    /// Runs the effects that may have to, unless a batch is open or they are being run.
    func flush() {
        guard batches == 0, !effects.isEmpty else { return }
        batches = 1
        var index = 0
        while index < effects.count {
            effects[index]?.refresh()
            index += 1
        }
        effects.removeAll(keepingCapacity: true)
        batches = 0
    }

    /// Several writes, after which the effects run once.
    func batch(_ body: () -> Void) {
        batches += 1
        body()
        batches -= 1
        flush()
    }
}
