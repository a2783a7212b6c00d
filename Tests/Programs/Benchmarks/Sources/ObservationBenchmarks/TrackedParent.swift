import Observation

/// A subject with others behind it.
@Observable
final class TrackedParent {
    var child = TrackedModel(())
    var next: TrackedParent?

    init(depth: Int) {
        if depth > 1 { next = TrackedParent(depth: depth - 1) }
    }

    @inline(never)
    func assignNext(_ parent: TrackedParent) { next = parent }
}
