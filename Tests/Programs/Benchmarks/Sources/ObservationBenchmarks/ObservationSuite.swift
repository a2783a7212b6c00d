public import BenchmarkKit

/// Swift's own Observation: tracked and begun again by hand after each change, and as a sequence.
public enum ObservationSuite {
    /// Its two ways.
    public static var peers: [Peer] {
        [
            Peer(
                tracking, PeerRows(tracking, TrackedModel.self).all + rows + PlayerRows(ObservablePlayer.self).all(tracking),
                cannot: [
                    ("tells that something will change, not from what to what", [.oldAndNew, .prior, .derivedOld]),
                    (
                        "a tracking cannot be ended",
                        [
                            .addAndRemove, .addAndRemoveElsewhere, .addAndRemoveInitial, .among1000OfSubject, .among100000OfSubject,
                            .among1000OfController, .among100000OfController, .tearDownSubjects, .tearDownObservers,
                        ]
                    ),
                    ("has no batches", [.batch, .batchOfOne]),
                    ("tells nothing of what was edited", [.append1000, .append1000000, .replace, .member]),
                    (
                        "begun again after a change, it misses what another thread does meanwhile",
                        [.oneSubject, .sharedOnMainActor, .sharedOnMainActorOn, .hopToMainActor, .hopToActor]
                    ),
                    ("is no sequence; see Observations", [.sequence, .sequenceInStep]),
                ] + [noEvents]),
            Peer(
                observations, sequences,
                cannot: [
                    (
                        "the subject is that of \(tracking.name)",
                        [.setUnobserved, .getUnobserved, .creation, .setBesideObserved, .getObserved, .bytesOfIdleSubject]
                    ),
                    ("tells the latest value, not each", [.sequence]),
                    (
                        "a sequence: nobody is told before the setter returns",
                        Case.allCases.filter { !$0.rawValue.contains("post") && !$0.rawValue.hasPrefix("view model") }
                    ),
                ] + [noEvents]),
        ]
    }

    static let tracking = Contender(name: "Observation, re-armed")
    static let observations = Contender(name: "Observations")

    private static let noEvents = (
        reason: "has no events",
        cases: [
            Case.send, .post, .postToMany, .postToNobody, .postToTwo, .postNumber, .postType, .postObject, .addAndRemoveName,
            .addAndRemoveAmongNames, .tearDownOneName, .tearDownNames,
        ]
    )
}
