import BenchmarkKit
import Observation

extension ObservationSuite {
    /// What a tracking can do beside what all peers can.
    static var rows: [Benchmark] {
        [
            setting(.derived) { model, view in model.track(view) { model.sum } },
            setting(.severalKeyPaths) { model, view in
                model.track(view) {
                    _ = model.second
                    return model.first
                }
            },
            tracking.loop(.removingDuplicates) { ascending() },
            tracking.loop(.duplicate) {
                let (model, view) = (TrackedModel(()), PeerView())
                let token = model.observe(view)
                return { passes in
                    for _ in 0..<passes {
                        model.assign(1)
                        for tracking in model.trackings { tracking.beginAgain() }
                    }
                    return withExtendedLifetime(token) { view.sum }
                }
            },
            nested(.nested, { $0.child }) { $0.child.first },
            nested(.nestedEnd, { $0.next?.next?.next?.child ?? $0.child }) { $0.next?.next?.next?.child.first ?? 0 },
            tracking.loop(.nestedHead) {
                let (parent, view) = (TrackedParent(depth: 4), PeerView())
                let others = [TrackedParent(depth: 3), TrackedParent(depth: 3)]
                let token = Tracking(view) { parent.next?.next?.next?.child.first ?? 0 }
                token.begin()
                return { passes in
                    for pass in 0..<passes {
                        parent.assignNext(others[pass & 1])
                        token.beginAgain()
                    }
                    return view.sum
                }
            },
        ]
    }

    /// Equal values are left out by the setter itself.
    private static func ascending() -> (Int) -> Int {
        let (model, view) = (TrackedModel(()), PeerView())
        let token = model.observe(view)
        return { passes in withExtendedLifetime(token) { model.set(passes: passes) &+ view.sum } }
    }

    private static func setting(_ benchmarked: Case, _ track: @escaping (TrackedModel, PeerView) -> Tracking) -> Benchmark {
        tracking.loop(benchmarked) {
            let (model, view) = (TrackedModel(()), PeerView())
            let token = track(model, view)
            return { passes in withExtendedLifetime(token) { model.set(passes: passes) &+ view.sum } }
        }
    }

    private static func nested(
        _ benchmarked: Case, _ leaf: @escaping (TrackedParent) -> TrackedModel, _ read: @escaping (TrackedParent) -> Int
    ) -> Benchmark {
        tracking.loop(benchmarked) {
            let (parent, view) = (TrackedParent(depth: 4), PeerView())
            let leaf = leaf(parent)
            let token = leaf.track(view) { read(parent) }
            return { passes in withExtendedLifetime(token) { leaf.set(passes: passes) &+ view.sum } }
        }
    }

    /// What a sequence can do.
    static var sequences: [Benchmark] {
        [
            observations.loop(.sequenceInStep) {
                let model = SharedTrackedModel()
                let arrivals = Arrivals()
                let values = Observations { model.first }
                let task = Task.detached { for await _ in values { arrivals.note() } }
                arrivals.wait(for: 1)
                return { passes in
                    for pass in 0..<passes {
                        model.first = pass &+ 1
                        arrivals.wait(for: 1)
                    }
                    return withExtendedLifetime(task) { passes }
                }
            }
        ]
    }
}
