import BenchmarkKit
import OpenCombine

extension OpenCombineSuite {
    /// Rows of published properties.
    static var publishedRows: [Benchmark] {
        let own = OpenCombineRows(published, PublishedModel.self)
        return own.derivedByValues + own.derivedOld + [
            published.loop(.duplicate) {
                let (model, view) = (PublishedModel(()), PeerView())
                let token = PublishedModel.sink(model.firstValues.removeDuplicates(), view)
                return { passes in
                    consume(model.setEqual(passes: passes))
                    return withExtendedLifetime(token) { view.sum }
                }
            },
            published.loop(.addAndRemoveInitial) {
                let (model, view) = (PublishedModel(()), PeerView())
                return { model.addAndRemove(view, passes: $0) &+ view.sum }
            },
            nested(.nested, { $0.child }) { PublishedModel.sink($0.firstOfChild, $1) },
            nested(.nestedEnd, { $0.next?.next?.next?.child ?? $0.child }) { PublishedModel.sink($0.firstAtTheEnd, $1) },
            published.loop(.nestedHead) {
                let (parent, view) = (PublishedParent(depth: 4), PeerView())
                let others = [PublishedParent(depth: 3), PublishedParent(depth: 3)]
                let token = PublishedModel.sink(parent.firstAtTheEnd, view)
                return { passes in
                    for pass in 0..<passes { parent.assignNext(others[pass & 1]) }
                    return withExtendedLifetime(token) { view.sum }
                }
            },
        ]
    }

    /// Rows of subjects that have a present value.
    static var currentValueRows: [Benchmark] {
        let own = OpenCombineRows(currentValue, CurrentValueModel.self)
        return own.derivedByReading + own.derivedOld + shared(currentValue, values: 1) { CurrentValueSubject<Int, Never>(0) } + [
            currentValue.loop(.duplicate) {
                let (model, view) = (CurrentValueModel(()), PeerView())
                let token = CurrentValueModel.sink(model.firstValues.removeDuplicates(), view)
                return { passes in
                    consume(model.setEqual(passes: passes))
                    return withExtendedLifetime(token) { view.sum }
                }
            },
            currentValue.loop(.addAndRemoveInitial) {
                let (model, view) = (CurrentValueModel(()), PeerView())
                return { model.addAndRemove(view, passes: $0) &+ view.sum }
            },
            nestedCurrentValue(.nested, { $0.child.value }) { CurrentValueModel.sink($0.firstOfChild, $1) },
            nestedCurrentValue(.nestedEnd, { $0.next.value?.next.value?.next.value?.child.value ?? $0.child.value }) {
                CurrentValueModel.sink($0.firstAtTheEnd, $1)
            },
            currentValue.loop(.nestedHead) {
                let (parent, view) = (CurrentValueParent(depth: 4), PeerView())
                let others = [CurrentValueParent(depth: 3), CurrentValueParent(depth: 3)]
                let token = CurrentValueModel.sink(parent.firstAtTheEnd, view)
                return { passes in
                    for pass in 0..<passes { parent.assignNext(others[pass & 1]) }
                    return withExtendedLifetime(token) { view.sum }
                }
            },
        ]
    }

    private static func nested(
        _ benchmarked: Case, _ leaf: @escaping (PublishedParent) -> PublishedModel,
        observe: @escaping (PublishedParent, PeerView) -> AnyCancellable
    ) -> Benchmark {
        published.loop(benchmarked) {
            let (parent, view) = (PublishedParent(depth: 4), PeerView())
            let token = observe(parent, view)
            let leaf = leaf(parent)
            return { passes in withExtendedLifetime((parent, token)) { leaf.set(passes: passes) &+ view.sum } }
        }
    }

    private static func nestedCurrentValue(
        _ benchmarked: Case, _ leaf: @escaping (CurrentValueParent) -> CurrentValueModel,
        observe: @escaping (CurrentValueParent, PeerView) -> AnyCancellable
    ) -> Benchmark {
        currentValue.loop(benchmarked) {
            let (parent, view) = (CurrentValueParent(depth: 4), PeerView())
            let token = observe(parent, view)
            let leaf = leaf(parent)
            return { passes in withExtendedLifetime((parent, token)) { leaf.set(passes: passes) &+ view.sum } }
        }
    }
}
