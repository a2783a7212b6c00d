import OpenCombine

/// A subject with others behind it, each a subject of its own.
final class CurrentValueParent {
    let child = CurrentValueSubject<CurrentValueModel, Never>(CurrentValueModel(()))
    let next: CurrentValueSubject<CurrentValueParent?, Never>

    init(depth: Int) {
        next = CurrentValueSubject(depth > 1 ? CurrentValueParent(depth: depth - 1) : nil)
    }

    @inline(never)
    func assignNext(_ parent: CurrentValueParent) { next.value = parent }

    /// The next that is there, and each that takes its place.
    var nextParents: some Publisher<CurrentValueParent, Never> { next.compactMap { $0 } }

    /// The first number of the child, whichever it is.
    var firstOfChild: some Publisher<Int, Never> { child.map { $0.first }.switchToLatest() }

    /// The same, three subjects on.
    var firstAtTheEnd: some Publisher<Int, Never> {
        nextParents.map { $0.nextParents.map { $0.nextParents.map { $0.firstOfChild }.switchToLatest() }.switchToLatest() }.switchToLatest()
    }
}
