import BenchmarkKit
import OpenCombine

/// A subject whose numbers are published, in one of the three ways.
protocol OpenCombineModel: RemovablePeerModel where World == Void, Token == AnyCancellable {
    associatedtype Values: Publisher<Int, Never>

    var firstValues: Values { get }
    var secondValues: Values { get }
    /// Derived from both.
    var sum: Int { get }
}

extension OpenCombineModel {
    func observe(_ view: PeerView) -> AnyCancellable { Self.sink(firstValues, view) }

    func observeSecond(_ view: PeerView) -> AnyCancellable { Self.sink(secondValues, view) }

    func addAndRemove(_ view: PeerView, passes: Int) -> Int {
        for _ in 0..<passes { observe(view).cancel() }
        return passes
    }

    static func end(_ tokens: inout [AnyCancellable]) -> Int {
        let count = tokens.count
        tokens = []
        return count
    }

    /// Observes as a careful program does: the sink keeps nobody.
    static func sink(_ values: some Publisher<Int, Never>, _ view: PeerView) -> AnyCancellable {
        values.sink { [weak view] value in
            guard let view else { return }
            view.sum &+= value &* view.step
        }
    }
}
