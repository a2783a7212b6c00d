extension PeerRows where Model: RemovablePeerModel {
    /// Rows for peers whose observers can leave.
    public var removals: [Benchmark] {
        [
            contender.loop(.addAndRemove, .addAndRemoveElsewhere) {
                let model = Model(Model.makeWorld())
                let view = PeerView()
                return { model.addAndRemove(view, passes: $0) }
            },
            amongOthersOfSubject(.among1000OfSubject, 1000), amongOthersOfSubject(.among100000OfSubject, 100_000),
            amongOthersOfObserver(.among1000OfController, 1000), amongOthersOfObserver(.among100000OfController, 100_000),
            contender.once(.tearDownSubjects, parts: 10_000) {
                let world = Model.makeWorld()
                let models = (0..<10_000).map { _ in Model(world) }
                let view = PeerView()
                var tokens = models.map { $0.observe(view) }
                return { withExtendedLifetime(models) { Model.end(&tokens) } }
            },
            contender.once(.tearDownObservers, parts: 10_000) {
                let model = Model(Model.makeWorld())
                let views = (0..<10_000).map { _ in PeerView() }
                var tokens = views.map { model.observe($0) }
                return { withExtendedLifetime((model, views)) { Model.end(&tokens) } }
            },
        ]
    }

    private func amongOthersOfSubject(_ benchmarked: Case, _ others: Int) -> Benchmark {
        contender.loop(benchmarked) {
            let model = Model(Model.makeWorld())
            let views = (0..<others).map { _ in PeerView() }
            let tokens = views.map { model.observe($0) }
            let view = PeerView()
            return { passes in withExtendedLifetime((views, tokens)) { model.addAndRemove(view, passes: passes) } }
        }
    }

    private func amongOthersOfObserver(_ benchmarked: Case, _ others: Int) -> Benchmark {
        contender.loop(benchmarked) {
            let world = Model.makeWorld()
            let models = (0..<others).map { _ in Model(world) }
            let view = PeerView()
            let tokens = models.map { $0.observe(view) }
            let model = Model(world)
            return { passes in withExtendedLifetime((models, tokens)) { model.addAndRemove(view, passes: passes) } }
        }
    }
}
