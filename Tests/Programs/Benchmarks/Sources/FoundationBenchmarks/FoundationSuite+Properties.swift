import BenchmarkKit
import Foundation

extension FoundationSuite {
    /// Notifications of properties, beyond what all peers can.
    static var properties: [Benchmark] {
        [
            setting(.oldAndNew) { model, view in [model.observe(NotifyingModel.first, view, difference)] },
            setting(.derived) { model, view in
                // The block must not hold the model: that would keep it, because the centre keeps the block.
                let handler: @Sendable (PeerView, Notification) -> Void = { view, notification in
                    guard let model = notification.object as? NotifyingModel else { return }
                    view.sum &+= model.sum &* view.step
                }
                return [model.observe(NotifyingModel.first, view, handler), model.observe(NotifyingModel.second, view, handler)]
            },
            setting(.severalKeyPaths) { model, view in [model.observe(view), model.observeSecond(view)] },
            center.loop(.prior, parts: 2) {
                let (model, view) = (NotifyingModel(NotificationCenter()), PeerView())
                let tokens = [
                    model.observe(view),
                    model.observe(NotifyingModel.willChangeFirst, view) { view, _ in view.sum &+= view.step },
                ]
                return { passes in withExtendedLifetime(tokens) { model.setAnnounced(passes: passes) &+ view.sum } }
            },
            center.value(.oneSubject, unit: .nanoseconds, rounds: .max) {
                let (posting, arrivals, name) = (NotificationCenter(), Arrivals(), Notification.Name("name"))
                let token = posting.addObserver(forName: name, object: nil, queue: nil) { [weak arrivals] _ in arrivals?.note() }
                return withExtendedLifetime((token, arrivals)) {
                    Threads.eachOfTwo(passes: 10_000) { passes in
                        for pass in 0..<passes { posting.post(name: name, object: nil, userInfo: ["new": pass]) }
                    }
                }
            },
            center.value(.hopToMainActor, unit: .nanoseconds, rounds: .max) {
                let (posting, arrivals, name) = (NotificationCenter(), Arrivals(), Notification.Name("name"))
                let token = posting.addObserver(forName: name, object: nil, queue: .main) { [weak arrivals] _ in arrivals?.note() }
                return withExtendedLifetime((token, arrivals)) {
                    Transfers.measure(passes: 1000, arrivals: arrivals) { passes in
                        for pass in 0..<passes { posting.post(name: name, object: nil, userInfo: ["new": pass]) }
                    }
                }
            },
        ]
    }

    @Sendable
    private static func difference(_ view: PeerView, _ notification: Notification) {
        guard let old = notification.userInfo?["old"] as? Int, let new = notification.userInfo?["new"] as? Int else { return }
        view.sum &+= (new &- old) &* view.step
    }

    private static func setting(
        _ benchmarked: Case, _ observe: @escaping (NotifyingModel, PeerView) -> [NotifyingModel.Token]
    ) -> Benchmark {
        center.loop(benchmarked) {
            let (model, view) = (NotifyingModel(NotificationCenter()), PeerView())
            let tokens = observe(model, view)
            return { passes in withExtendedLifetime(tokens) { model.set(passes: passes) &+ view.sum } }
        }
    }
}
