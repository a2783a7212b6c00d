public import BenchmarkKit

/// OpenCombine, with sinks that hold their observers weakly.
public enum OpenCombineSuite {
    /// The three ways in which it publishes.
    public static var peers: [Peer] {
        [
            Peer(
                published, standard(published, PublishedModel.self) + publishedRows + PlayerRows(PublishedPlayer.self).all(published),
                cannot: reasons + [
                    ("a published property is not for two threads", [.oneSubject, .hopToMainActor, .sequence, .sequenceInStep]),
                    ("publishes values; use a subject", [.send, .post, .postToMany, .postToNobody, .postNumber, .postType]),
                ]),
            Peer(
                passthrough, standard(passthrough, PassthroughModel.self) + passthroughRows,
                cannot: reasons + [
                    ("has no present value to begin with", [.addAndRemoveInitial, .derivedOld, .nested, .nestedEnd, .nestedHead])
                ]),
            Peer(
                currentValue, standard(currentValue, CurrentValueModel.self) + currentValueRows,
                cannot: reasons + [
                    (
                        "has a present value: no event; use PassthroughSubject",
                        [.send, .post, .postToMany, .postToNobody, .postNumber, .postType]
                    )
                ]),
        ]
    }

    private static func standard<Model: OpenCombineModel>(_ contender: Contender, _: Model.Type) -> [Benchmark] {
        let (rows, own) = (PeerRows(contender, Model.self), OpenCombineRows(contender, Model.self))
        return rows.all + rows.removals + own.all
    }

    static let published = Contender(name: "@Published")
    static let passthrough = Contender(name: "PassthroughSubject")
    static let currentValue = Contender(name: "CurrentValueSubject")

    private static let reasons: [(reason: String, cases: [Case])] = [
        ("tells a change once: before it or after it", [.prior]),
        ("has no batches", [.batch, .batchOfOne]),
        ("tells the whole collection, not what was edited", [.append1000, .append1000000, .replace, .member]),
        ("knows no isolation but schedulers", [.sharedOnMainActor, .sharedOnMainActorOn, .hopToActor]),
        (
            "has no names and no filter by object",
            [.postToTwo, .postObject, .addAndRemoveName, .addAndRemoveAmongNames, .tearDownOneName, .tearDownNames]
        ),
    ]
}
