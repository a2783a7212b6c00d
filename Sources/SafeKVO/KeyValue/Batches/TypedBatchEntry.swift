/// The changes of one key of a known type in a batch.
final class TypedBatchEntry<Value>: BatchEntry {
    /// What observers hear that were there at a change, and not at the one before.
    private struct Segment {
        let limit: UInt32
        /// The whole value before the first change that they hear of.
        let old: Value?
        /// How many changes were made before they came.
        let earlierChanges: Int
    }

    private var segments: [Segment] = []
    private var changeCount = 0
    /// The last change, as it would have been told.
    private var last: KeyValueEvent<Value>?
    /// Finds out the value, if the last change does not say it.
    private var evaluate: (() -> Value)?

    override func needsOldValue(_ limit: UInt32) -> Bool { segments.last?.limit != limit }

    /// Takes note of a change.
    ///
    /// - Parameters:
    ///   - event: The change.
    ///   - limit: Who is heard from.
    ///   - evaluate: Finds out the value at the end, if the change does not say it.
    func add(_ event: KeyValueEvent<Value>, _ limit: UInt32, evaluate: (() -> Value)? = nil) {
        if needsOldValue(limit) {
            let old = event.header.kind == .setting ? event.old : event.wholeOld
            segments.append(Segment(limit: limit, old: old, earlierChanges: changeCount))
        }
        changeCount += 1
        last = event
        self.evaluate = evaluate
    }

    override func forgetNewValue() {
        last?.new = nil
        last?.wholeNew = nil
    }

    override func prepare() {
        guard let evaluate else { return }
        if last?.header.kind == .setting {
            last?.new = evaluate()
        } else {
            last?.wholeNew = evaluate()
        }
        self.evaluate = nil
    }

    override func tell(_ info: ObservationInfo) {
        guard let last, let segment = segments.first(where: { !info.isLinked(after: $0.limit) }) else { return }
        var event = last
        if changeCount - segment.earlierChanges > 1 || last.header.kind == .setting {
            event = KeyValueEvent(subject: subject, phase: .after, new: last.whole, old: segment.old)
        }
        event.withPointer { pointer, box in ObservationBroker.shared.forward(pointer, to: info, box: box) }
    }
}
