import SafeKVO

/// The base class of the observed nodes.
class Base: KeyValueObject {
    let number: Int
    @Observed var a = 0
    @Observed var items: [Int] = []
    @Observed var set: Set<Int> = []
    @AtomicObserved var level = 0
    /// What nobody can see.
    var foreign = 0

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
