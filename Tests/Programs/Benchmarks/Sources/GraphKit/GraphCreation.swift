/// The sources and views that are there before handlers are created, so that nothing but their creation is timed.
struct GraphCreation<Wiring: GraphWiring> {
    let wiring: Wiring
    private let shape: GraphShape
    private let sources: [Wiring.Source]
    private let groups: [[Wiring.Source]]
    private let slots: [GraphSlot]
    /// The number of handlers, or of sources.
    let count: Int

    init(_ shape: GraphShape, count: Int) {
        let (readers, width) = (shape.readers, shape.createdWidth)
        let wiring = Wiring((0..<readers).map { _ in GraphView() })
        let isOfSources = shape == .createSources
        let sources = isOfSources ? [] : wiring.makeSources(count * width / readers)
        groups = width == 1 ? [] : (0..<count).map { Array(sources[$0 * width..<($0 + 1) * width]) }
        slots = isOfSources ? [] : (0..<count).map { wiring.views[$0 % readers].makeSlot() }
        self.wiring = wiring
        self.shape = shape
        self.sources = sources
        self.count = count
    }

    /// Creates, and returns what was made.
    func create() -> [Wiring.Source] {
        switch shape {
        case .createSources: return wiring.makeSources(count)
        case _ where groups.isEmpty: wiring.showEach(sources, times: shape.readers, in: slots)
        default: wiring.showSums(groups, in: slots)
        }
        return []
    }

    /// Each handler was told its value.
    var isRight: Bool {
        let width = shape.createdWidth
        return slots.enumerated().allSatisfy { index, slot in
            slot.last == (width == 1 ? index / shape.readers : (index * width..<(index + 1) * width).reduce(0, +))
        }
    }
}
