import SafeKVO

/// The base class of the observed nodes.
class Base: KeyValueObject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the comparison uses its objects on one thread. An atomic property may hold them only if they are
    // `Sendable`.

    let number: Int
    @Observed var a = 0
    @Observed var items: [Int] = []
    @Observed var set: Set<Int> = []
    @AtomicObserved var level = 0
    @Observed var shade = 0
    @Observed var width = 0
    @Observed var tags: [Int] = []
    /// What nobody can see.
    var foreign = 0

    /// What ``shade`` stores, whatever a subclass makes of it.
    var storedShade: Int { shade }
    var same: [Int] { items }
    var sorted: [Int] { items.sorted() }
    var bounded: [Int] { items.count > 2 ? [77] : items }
    var itemsTotal: Int { items.reduce(0, +) }
    var text: Int {
        access(\.text)
        return foreign * 10
    }

    init(_ number: Int) {
        self.number = number
    }
}

extension Base: Equatable {
    static func == (left: Base, right: Base) -> Bool { left === right }
}
