public import BenchmarkKit

/// What people write by hand when they want observers and no library.
public enum WeakDictionarySuite {
    static let byHand = Contender(name: "weak dictionary by hand")

    /// Its rows, and what it cannot do without becoming a library.
    public static var peer: Peer {
        Peer(
            byHand, PeerRows(byHand, ListedModel.self).all + PeerRows(byHand, ListedModel.self).removals + properties + events + elsewhere,
            cannot: [
                ("would have to be observed anew by hand at each hop", [.nested, .nestedEnd, .nestedHead]),
                ("keeps no derived values", [.derivedOld]),
                ("has no batches", [.batch, .batchOfOne]),
                ("has no collections", [.append1000, .append1000000, .replace, .member]),
                ("knows no isolation", [.sharedOnMainActor, .sharedOnMainActorOn, .hopToActor]),
                ("has no filter by object, and nobody hears every name", [.postToTwo, .postObject]),
            ])
    }
}
