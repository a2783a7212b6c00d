import OpenCombine

/// A subject with others behind it, all published.
final class PublishedParent {
    @Published var child = PublishedModel(())
    @Published var next: PublishedParent?

    init(depth: Int) {
        if depth > 1 { next = PublishedParent(depth: depth - 1) }
    }

    @inline(never)
    func assignNext(_ parent: PublishedParent) { next = parent }

    /// The next that is there, and each that takes its place.
    var nextParents: some Publisher<PublishedParent, Never> { $next.compactMap { $0 } }

    /// The first number of the child, whichever it is.
    var firstOfChild: some Publisher<Int, Never> { $child.map { $0.$first }.switchToLatest() }

    /// The same, three subjects on.
    var firstAtTheEnd: some Publisher<Int, Never> {
        nextParents.map { $0.nextParents.map { $0.nextParents.map { $0.firstOfChild }.switchToLatest() }.switchToLatest() }.switchToLatest()
    }
}
