import BenchmarkKit
import OpenCombine

/// The rows of a model that only OpenCombine has.
///
/// OpenCombine 0.14 has neither `combineLatest` nor `merge`: what is derived from two numbers needs two sinks, or a publisher of publishers.
struct OpenCombineRows<Model: OpenCombineModel> {
    let contender: Contender

    init(_ contender: Contender, _: Model.Type) {
        self.contender = contender
    }

    /// Rows for all models.
    var all: [Benchmark] {
        [
            setting(.oldAndNew) { model, view in [Self.differences(model.firstValues, view)] },
            setting(.removingDuplicates) { model, view in [Model.sink(model.firstValues.removeDuplicates(), view)] },
            setting(.severalKeyPaths) { model, view in [model.observe(view), model.observeSecond(view)] },
        ]
    }

    /// For models whose numbers have changed when they say so: the getter is read again.
    var derivedByReading: [Benchmark] {
        [
            setting(.derived) { model, view in
                func sink(_ values: Model.Values) -> AnyCancellable {
                    values.sink { [weak view, weak model] _ in
                        guard let view, let model else { return }
                        view.sum &+= model.sum &* view.step
                    }
                }
                return [sink(model.firstValues), sink(model.secondValues)]
            }
        ]
    }

    /// For models whose numbers have not changed yet when they say so.
    var derivedByValues: [Benchmark] {
        [setting(.derived) { model, view in [Model.sink(Self.sums(model), view)] }]
    }

    /// For models with a present value.
    var derivedOld: [Benchmark] {
        [setting(.derivedOld) { model, view in [Self.differences(Self.sums(model), view)] }]
    }

    private static func sums(_ model: Model) -> some Publisher<Int, Never> {
        let second = model.secondValues
        return model.firstValues.map { first in second.map { first &+ $0 } }.switchToLatest()
    }

    private static func differences(_ values: some Publisher<Int, Never>, _ view: PeerView) -> AnyCancellable {
        values.scan((0, 0)) { ($0.1, $1) }.sink { [weak view] old, new in
            guard let view else { return }
            view.sum &+= (new &- old) &* view.step
        }
    }

    private func setting(_ benchmarked: Case, _ observe: @escaping (Model, PeerView) -> [AnyCancellable]) -> Benchmark {
        contender.loop(benchmarked) {
            let (model, view) = (Model(()), PeerView())
            let tokens = observe(model, view)
            return { passes in withExtendedLifetime(tokens) { model.set(passes: passes) &+ view.sum } }
        }
    }
}
