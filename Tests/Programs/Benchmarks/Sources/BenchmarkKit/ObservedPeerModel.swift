/// A peer's subject and those who observe it.
struct ObservedPeerModel<Model: PeerModel> {
    let model: Model
    let views: [PeerView]
    let tokens: [Model.Token]

    init(count: Int) {
        let model = Model(Model.makeWorld())
        let views = (0..<count).map { _ in PeerView() }
        self.model = model
        self.views = views
        tokens = views.map { model.observe($0) }
        // A row about observers who hear nothing would be fast.
        consume(model.set(passes: 3))
        precondition(views.allSatisfy { $0.sum > 0 }, "an observer was not told of a change")
    }

    var sum: Int { views.reduce(0) { $0 &+ $1.sum } }
}
