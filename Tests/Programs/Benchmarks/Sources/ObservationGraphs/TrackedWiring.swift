import BenchmarkKit
public import GraphKit
import Observation

/// Graphs of computed properties over those of Swift's Observation, tracked again after each write.
public enum ObservationGraphs {
    /// The contender.
    public static var contender: GraphContender { GraphContender(TrackedWiring.self) }
}

final class TrackedWiring: GraphWiring {
    static let contender = Contender(name: "Observation, re-armed")

    let views: [GraphView]
    private let ended = EndedTrackings()
    private var trackings: [GraphTracking] = []

    init(_ views: [GraphView]) { self.views = views }

    func source(_ value: Int) -> TrackedNumber { TrackedNumber(value) }
    func node(_ source: TrackedNumber) -> TrackedCell { source }
    func plus(_ input: TrackedCell, _ addend: Int) -> TrackedCell { TrackedPlus(input, addend) }
    func plusHard(_ input: TrackedCell, _ addend: Int) -> TrackedCell { TrackedPlusHard(input, addend) }
    func times(_ input: TrackedCell, _ factor: Int) -> TrackedCell { TrackedTimes(input, factor) }
    func difference(_ left: TrackedCell, _ right: TrackedCell) -> TrackedCell { TrackedDifference(left, right) }
    func sum(_ inputs: [TrackedCell]) -> TrackedCell { TrackedSum(inputs) }
    func repeated(_ input: TrackedCell, reads: Int) -> TrackedCell { TrackedRepeated(input, reads: reads) }
    func choice(_ head: TrackedCell, odd: TrackedCell, even: TrackedCell) -> TrackedCell { TrackedChoice(head, odd: odd, even: even) }
    func list(_ inputs: [TrackedCell]) -> TrackedList { TrackedList(inputs) }
    func element(_ list: TrackedList, _ index: Int) -> TrackedCell { TrackedElement(list, index) }

    func show(_ node: TrackedCell, in slot: GraphSlot) { track(views[0], slot) { node.value } }

    func show(_ source: TrackedNumber, in slot: GraphSlot, of view: Int) { track(views[view], slot) { source.number } }

    func showSum(of sources: [TrackedNumber], in slot: GraphSlot) { show(TrackedSum(sources), in: slot) }

    private func track(_ view: GraphView, _ slot: GraphSlot, _ read: @escaping () -> Int) {
        let tracking = GraphTracking(view, slot, ended, read)
        trackings.append(tracking)
        tracking.begin()
    }

    @inline(never)
    func write(_ value: Int, to source: TrackedNumber) {
        source.number = value
        ended.beginAgain()
    }

    func write(_ values: [Int], to sources: [TrackedNumber]) {
        for (value, source) in zip(values, sources) { source.number = value }
        ended.beginAgain()
    }
}
