import BenchmarkKit
public import GraphKit
import OpenCombine

/// Graphs of publishers: a map of one, and a subject that several sinks feed.
public enum OpenCombineGraphs {
    /// The contender.
    public static var contender: GraphContender { GraphContender(OpenCombineWiring.self) }
}

final class OpenCombineWiring: GraphWiring {
    typealias Source = CurrentValueSubject<Int, Never>
    typealias Node = AnyPublisher<Int, Never>

    static let contender = Contender(name: "OpenCombine")

    let views: [GraphView]
    private var tokens: [AnyCancellable] = []

    init(_ views: [GraphView]) { self.views = views }

    func source(_ value: Int) -> Source { Source(value) }
    func node(_ source: Source) -> Node { source.eraseToAnyPublisher() }
    func plus(_ input: Node, _ addend: Int) -> Node {
        input.map {
            noteRun()
            return $0 &+ addend
        }
        .eraseToAnyPublisher()
    }
    func plusHard(_ input: Node, _ addend: Int) -> Node {
        input.map {
            noteRun()
            workHard()
            return $0 &+ addend
        }
        .eraseToAnyPublisher()
    }
    func times(_ input: Node, _ factor: Int) -> Node {
        input.map {
            noteRun()
            return $0 &* factor
        }
        .eraseToAnyPublisher()
    }
    func repeated(_ input: Node, reads: Int) -> Node {
        input.map { value in
            noteRun()
            return (0..<reads).reduce(0) { sum, _ in sum &+ value }
        }
        .eraseToAnyPublisher()
    }
    func difference(_ left: Node, _ right: Node) -> Node { combine([left, right]) { $0[0] &- $0[1] }.eraseToAnyPublisher() }
    func sum(_ inputs: [Node]) -> Node { combine(inputs) { $0.reduce(0, &+) }.eraseToAnyPublisher() }
    func choice(_ head: Node, odd: Node, even: Node) -> Node {
        combine([head, odd, even]) { latest in (0..<20).reduce(0) { sum, _ in sum &+ (latest[0] & 1 == 1 ? latest[1] : latest[2]) } }
            .eraseToAnyPublisher()
    }
    func list(_ inputs: [Node]) -> AnyPublisher<[Int], Never> { combine(inputs) { $0 }.eraseToAnyPublisher() }
    func element(_ list: AnyPublisher<[Int], Never>, _ index: Int) -> Node {
        list.map {
            noteRun()
            return $0[index]
        }
        .eraseToAnyPublisher()
    }

    func show(_ node: Node, in slot: GraphSlot) { show(node, views[0], slot) }
    func show(_ source: Source, in slot: GraphSlot, of view: Int) { show(source, views[view], slot) }
    func showSum(of sources: [Source], in slot: GraphSlot) { show(sum(sources.map(node)), in: slot) }

    private func show(_ values: some Publisher<Int, Never>, _ view: GraphView, _ slot: GraphSlot) {
        tokens.append(values.sink { [weak view] in view?.show($0, in: slot) })
    }

    /// OpenCombine 0.14 has no combineLatest: each input has a sink, which stores its latest value and sends what comes of all.
    private func combine<Value>(_ inputs: [Node], _ transform: @escaping ([Int]) -> Value) -> some Publisher<Value, Never> {
        let combined = CurrentValueSubject<Value?, Never>(nil)
        let latest = LatestValues(inputs.count)
        for (index, input) in inputs.enumerated() {
            tokens.append(
                input.sink {
                    guard latest.store($0, at: index) else { return }
                    noteRun()
                    combined.send(transform(latest.values))
                })
        }
        return combined.compactMap { $0 }
    }

    @inline(never)
    func write(_ value: Int, to source: Source) { source.send(value) }
}
