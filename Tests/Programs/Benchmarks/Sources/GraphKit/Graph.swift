/// A graph that was built, how it is written, and what its handlers must have been told then.
struct Graph<Wiring: GraphWiring> {
    /// The sources of one write.
    enum Writes {
        case first
        case oneOfTen
        case all
    }

    let wiring: Wiring
    let sources: [Wiring.Source]
    let writes: Writes
    /// The values of the sources at the beginning.
    let initial: [Int]
    /// The values of all slots, computed plainly from those of the sources.
    let values: ([Int]) -> [Int]

    init(_ wiring: Wiring, _ sources: [Wiring.Source], _ writes: Writes = .first, initial: [Int]? = nil, values: @escaping ([Int]) -> [Int])
    {
        self.wiring = wiring
        self.sources = sources
        self.writes = writes
        self.initial = initial ?? Array(repeating: 0, count: sources.count)
        self.values = values
    }

    /// Writes in each pass, as fast as it goes.
    func write(_ passes: Range<Int>) {
        switch writes {
        case .first: wiring.write(passes, to: sources[0])
        case .oneOfTen: wiring.write(passes, toFirstTen: sources)
        case .all: wiring.write(passes, Cellx.values.even, Cellx.values.odd, to: sources)
        }
    }

    /// Writes once, and changes the values that the sources have.
    func write(pass: Int, _ present: inout [Int]) {
        switch writes {
        case .first:
            present[0] = pass + 1
            wiring.write(pass + 1, to: sources[0])
        case .oneOfTen:
            present[pass % 10] = pass + 1
            wiring.write(pass + 1, to: sources[pass % 10])
        case .all:
            present = pass & 1 == 0 ? Cellx.values.even : Cellx.values.odd
            wiring.write(present, to: sources)
        }
    }

    /// The last values of all handlers.
    var shown: [Int] { wiring.views.flatMap { $0.slots.map(\.last) } }
}
