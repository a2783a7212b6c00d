import BenchmarkKit
public import GraphKit

/// Graphs of signals, memos and effects: what a library whose only task is graphs can do.
public enum SignalGraphs {
    /// The contender.
    public static var contender: GraphContender { GraphContender(SignalWiring.self) }
}

final class SignalWiring: GraphWiring {
    static let contender = Contender(name: "signals")

    let views: [GraphView]
    private var effects: [Effect] = []

    init(_ views: [GraphView]) { self.views = views }

    func source(_ value: Int) -> Signal { Signal(value) }
    func node(_ source: Signal) -> Readable { source }
    func plus(_ input: Readable, _ addend: Int) -> Readable {
        Memo {
            noteRun()
            return input.value &+ addend
        }
    }
    func plusHard(_ input: Readable, _ addend: Int) -> Readable {
        Memo {
            noteRun()
            workHard()
            return input.value &+ addend
        }
    }
    func times(_ input: Readable, _ factor: Int) -> Readable {
        Memo {
            noteRun()
            return input.value &* factor
        }
    }
    func difference(_ left: Readable, _ right: Readable) -> Readable {
        Memo {
            noteRun()
            return left.value &- right.value
        }
    }
    func sum(_ inputs: [Readable]) -> Readable {
        Memo {
            noteRun()
            return inputs.reduce(0) { $0 &+ $1.value }
        }
    }
    func repeated(_ input: Readable, reads: Int) -> Readable {
        Memo {
            noteRun()
            return (0..<reads).reduce(0) { sum, _ in sum &+ input.value }
        }
    }
    func choice(_ head: Readable, odd: Readable, even: Readable) -> Readable {
        Memo {
            noteRun()
            return (0..<20).reduce(0) { sum, _ in sum &+ (head.value & 1 == 1 ? odd.value : even.value) }
        }
    }
    func list(_ inputs: [Readable]) -> ListMemo {
        ListMemo {
            noteRun()
            return inputs.map(\.value)
        }
    }
    func element(_ list: ListMemo, _ index: Int) -> Readable {
        Memo {
            noteRun()
            return list.value[index]
        }
    }

    func show(_ node: Readable, in slot: GraphSlot) {
        effects.append(Effect { [weak view = views[0]] in view?.show(node.value, in: slot) })
    }

    func show(_ source: Signal, in slot: GraphSlot, of view: Int) {
        effects.append(Effect { [weak view = views[view]] in view?.show(source.value, in: slot) })
    }

    func showSum(of sources: [Signal], in slot: GraphSlot) {
        effects.append(
            Effect { [weak view = views[0]] in
                noteRun()
                view?.show(sources.reduce(0) { $0 &+ $1.value }, in: slot)
            })
    }

    @inline(never)
    func write(_ value: Int, to source: Signal) { source.value = value }

    func write(_ values: [Int], to sources: [Signal]) {
        Reactor.shared.batch {
            for (value, source) in zip(values, sources) { write(value, to: source) }
        }
    }
}
