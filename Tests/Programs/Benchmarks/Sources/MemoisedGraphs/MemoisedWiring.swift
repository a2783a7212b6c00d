import BenchmarkKit
public import GraphKit
import SafeKVO

/// Graphs of memos over observed properties: a prototype, and nothing that the library has.
public enum MemoisedGraphs {
    /// The contender.
    public static var contender: GraphContender { GraphContender(MemoisedWiring.self) }
}

final class MemoisedWiring: GraphWiring {
    static let contender = Contender(name: "SafeKVO, memoised")

    let views: [GraphView]
    private let controllers: [ObservationController<GraphView>]

    init(_ views: [GraphView]) {
        self.views = views
        controllers = views.map { ObservationController(observer: $0) }
    }

    func source(_ value: Int) -> Number { Number(value) }
    func node(_ source: Number) -> Readable { .number(source) }
    func plus(_ input: Readable, _ addend: Int) -> Readable { memo { input.value &+ addend } }
    func plusHard(_ input: Readable, _ addend: Int) -> Readable {
        memo {
            workHard()
            return input.value &+ addend
        }
    }
    func times(_ input: Readable, _ factor: Int) -> Readable { memo { input.value &* factor } }
    func difference(_ left: Readable, _ right: Readable) -> Readable { memo { left.value &- right.value } }
    func sum(_ inputs: [Readable]) -> Readable { memo { inputs.reduce(0) { $0 &+ $1.value } } }
    func repeated(_ input: Readable, reads: Int) -> Readable {
        memo { (0..<reads).reduce(0) { sum, _ in sum &+ input.value } }
    }
    func choice(_ head: Readable, odd: Readable, even: Readable) -> Readable {
        memo { (0..<20).reduce(0) { sum, _ in sum &+ (head.value & 1 == 1 ? odd.value : even.value) } }
    }
    func list(_ inputs: [Readable]) -> ListMemo {
        ListMemo {
            noteRun()
            return inputs.map(\.value)
        }
    }
    func element(_ list: ListMemo, _ index: Int) -> Readable { memo { list.values[index] } }

    private func memo(_ compute: @escaping () -> Int) -> Readable {
        .memo(
            NumberMemo {
                noteRun()
                return compute()
            })
    }

    func show(_ node: Readable, in slot: GraphSlot) {
        switch node {
        case .number(let number): show(number, in: slot, of: 0)
        case .memo(let memo): controllers[0].observe(memo, \.value) { view, value in view.show(value, in: slot) }
        }
    }

    func show(_ source: Number, in slot: GraphSlot, of view: Int) {
        controllers[view].observe(source, \.number) { view, value in view.show(value, in: slot) }
    }

    func showSum(of sources: [Number], in slot: GraphSlot) { show(sum(sources.map { .number($0) }), in: slot) }

    @inline(never)
    func write(_ value: Int, to source: Number) { source.number = value }

    func write(_ values: [Int], to sources: [Number]) {
        withBatchedChanges {
            for (value, source) in zip(values, sources) { write(value, to: source) }
        }
    }
}
