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
    }

    var sum: Int { views.reduce(0) { $0 &+ $1.sum } }
}
