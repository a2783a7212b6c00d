/// The rows that are alike for all peers.
public struct PeerRows<Model: PeerModel> {
    private static var bytesCount: Int { 200_000 }
    let contender: Contender

    /// Makes rows for a peer.
    public init(_ contender: Contender, _: Model.Type) {
        self.contender = contender
    }

    /// Rows for every peer.
    public var all: [Benchmark] {
        [
            contender.loop(.setUnobserved) {
                let model = Model(Model.makeWorld())
                return { model.set(passes: $0) }
            },
            contender.loop(.getUnobserved) {
                let model = Model(Model.makeWorld())
                return { model.get(passes: $0) }
            },
            contender.loop(.creation) {
                let world = Model.makeWorld()
                return { Model.create(world, passes: $0) }
            },
            contender.loop(.setBesideObserved) {
                let model = Model(Model.makeWorld())
                let view = PeerView()
                let token = model.observeSecond(view)
                return { passes in withExtendedLifetime(token) { model.set(passes: passes) &+ view.sum } }
            },
            contender.loop(.getObserved) {
                let observed = observed(count: 1)
                return { passes in withExtendedLifetime(observed.tokens) { observed.model.get(passes: passes) &+ observed.sum } }
            },
            setting(.valueForm, .changeForm, .nothingCaptured, .action, .notRetaining, .mainActor, count: 1),
            setting(.tenObservers, count: 10),
            setting(.hundredObservers, .hundredObserversChange, count: 100),
            setting(.thousandObservers, count: 1000),
            contender.once(.firstObservation, parts: 10_000) {
                let world = Model.makeWorld()
                let models = (0..<10_000).map { _ in Model(world) }
                let view = PeerView()
                var tokens: [Model.Token] = []
                tokens.reserveCapacity(models.count)
                return {
                    for model in models { tokens.append(model.observe(view)) }
                    return tokens.count &+ view.sum
                }
            },
            contender.value(.bytesOfObservers, unit: .bytes, rounds: 2) {
                let model = Model(Model.makeWorld())
                let views = (0..<Self.bytesCount).map { _ in PeerView() }
                let growth = Heap.growth { views.map { model.observe($0) } }
                withExtendedLifetime((model, growth.built)) {}
                return Double(growth.bytes) / Double(Self.bytesCount)
            },
            contender.value(.bytesOfSubjects, unit: .bytes, rounds: 2) {
                let world = Model.makeWorld()
                let models = (0..<Self.bytesCount).map { _ in Model(world) }
                let view = PeerView()
                let growth = Heap.growth { models.map { $0.observe(view) } }
                withExtendedLifetime((models, growth.built, view)) {}
                return Double(growth.bytes) / Double(Self.bytesCount)
            },
            contender.value(.bytesOfIdleSubject, unit: .bytes, rounds: 2) {
                let world = Model.makeWorld()
                return bytes { Model(world) } - bytes { PlainFive() }
            },
            contender.value(.twoSubjects, unit: .times, rounds: .max) { Threads.run(setUp: Self.share).wallRatio },
            contender.value(.twoSubjectsProcessorTime, unit: .times, rounds: .max) { Threads.run(setUp: Self.share).cpuRatio },
        ]
    }

    private func setting(_ cases: Case..., count: Int) -> Benchmark {
        Benchmark.loop("\(contender.name): \(cases.first?.rawValue ?? "")", parts: count) {
            let observed = observed(count: count)
            return { passes in withExtendedLifetime(observed.tokens) { observed.model.set(passes: passes) &+ observed.sum } }
        }
        .by(contender, cases)
    }

    private func observed(count: Int) -> ObservedPeerModel<Model> {
        ObservedPeerModel(count: count)
    }

    @Sendable
    private static func share() -> () -> Int {
        let observed = ObservedPeerModel<Model>(count: 1)
        consume(observed.model.set(passes: 100_000 / 8))
        return { withExtendedLifetime(observed.tokens) { observed.model.set(passes: 100_000) &+ observed.sum } }
    }

    private func bytes(_ make: () -> AnyObject) -> Double {
        let growth = Heap.growth { (0..<Self.bytesCount).map { _ in make() } }
        consume(growth.built.count)
        return Double(growth.bytes) / Double(Self.bytesCount)
    }
}
