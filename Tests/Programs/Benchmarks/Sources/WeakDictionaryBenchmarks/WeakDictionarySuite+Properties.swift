import BenchmarkKit

extension WeakDictionarySuite {
    /// Properties, beyond what all peers can.
    static var properties: [Benchmark] {
        [
            setting(.oldAndNew) { model, view in
                model.firstObservers.add(view) { view, old, new in view.sum &+= (new &- old) &* view.step }
            },
            setting(.derived) { model, view in
                let model = Shared(WeakModel(model))
                model.value.model?.firstObservers.add(view) { view, _, _ in view.sum &+= (model.value.model?.sum ?? 0) &* view.step }
                model.value.model?.secondObservers.add(view) { view, _, _ in view.sum &+= (model.value.model?.sum ?? 0) &* view.step }
            },
            setting(.severalKeyPaths) { model, view in
                _ = model.observe(view)
                _ = model.observeSecond(view)
            },
            setting(.removingDuplicates) { model, view in
                model.firstObservers.add(view) { view, old, new in if new != old { view.sum &+= new &* view.step } }
            },
            byHand.loop(.duplicate) {
                let (model, view) = (ListedModel(()), PeerView())
                model.firstObservers.add(view) { view, old, new in if new != old { view.sum &+= new &* view.step } }
                return { passes in
                    consume(model.setEqual(passes: passes))
                    return view.sum
                }
            },
            byHand.loop(.prior, parts: 2) {
                let (model, view) = (ListedModel(()), PeerView())
                model.priorObservers.add(view) { view, _, _ in view.sum &+= view.step }
                _ = model.observe(view)
                return { model.setAnnounced(passes: $0) &+ view.sum }
            },
            byHand.loop(.addAndRemoveInitial) {
                let (model, view) = (ListedModel(()), PeerView())
                return { passes in
                    for _ in 0..<passes {
                        view.sum &+= model.first &* view.step
                        _ = model.addAndRemove(view, passes: 1)
                    }
                    return view.sum
                }
            },
        ]
    }

    private static func setting(_ benchmarked: Case, _ observe: @escaping (ListedModel, PeerView) -> Void) -> Benchmark {
        byHand.loop(benchmarked) {
            let (model, view) = (ListedModel(()), PeerView())
            observe(model, view)
            return { model.set(passes: $0) &+ view.sum }
        }
    }

    /// A model that a handler does not keep.
    private struct WeakModel {
        weak var model: ListedModel?

        init(_ model: ListedModel) {
            self.model = model
        }
    }
}
