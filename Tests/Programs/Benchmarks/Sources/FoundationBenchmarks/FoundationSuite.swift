public import BenchmarkKit
import Foundation

/// Foundation's own notifications, for comparison with messages.
///
/// Most blocks hold their observer strongly, which is the cheapest that Foundation offers, and less than what a controller does.
public enum FoundationSuite {
    /// One post to one block.
    public static let post = "Foundation: post, 1 observer"
    /// One post to one block that holds its observer weakly.
    public static let postWeakly = "Foundation: post, 1 weak observer"
    /// One post of a number to one block that holds its observer weakly.
    public static let postValue = "Foundation: post of a number, 1 weak observer"
    /// One post to nobody, while another name is observed.
    public static let postToNobody = "Foundation: post, nobody observes the name"
    /// One post to a hundred blocks, each.
    public static let postToMany = "Foundation: post, each of 100 observers"
    /// Adding a block and removing it.
    public static let addAndRemove = "Foundation: add + remove"
    /// Removing all tokens of one name.
    public static let tearDownOneName = "Foundation: tear down, each of 10000 observers of 1 name"
    /// Removing one token of each of many names.
    public static let tearDownNames = "Foundation: tear down, each of 10000 observers of 10000 names"
    /// Removing tokens of one name whose blocks each hold an observer of their own, weakly.
    public static let tearDownOneNameWeakly = "Foundation: tear down, each of 10000 weak observers of 1 name"
    /// Removing one token of each of many names whose blocks hold an observer weakly.
    public static let tearDownNamesWeakly = "Foundation: tear down, each of 10000 weak observers of 10000 names"
    /// One post to one block that asked for the object, among many that asked for others.
    public static let postOfObject = "Foundation: post, 1 observer of the name and object, 10000 others of theirs"

    static let center = Contender(name: "NotificationCenter")

    /// Its rows, and what it cannot do.
    public static var peer: Peer {
        Peer(
            center, PeerRows(center, NotifyingModel.self).all + PeerRows(center, NotifyingModel.self).removals + properties + notifications,
            cannot: [
                ("has no present value", [.addAndRemoveInitial]),
                ("has no values to compare", [.removingDuplicates, .duplicate, .derivedOld]),
                ("would have to be observed anew by hand at each hop", [.nested, .nestedEnd, .nestedHead]),
                ("has no batches", [.batch, .batchOfOne]),
                ("has no collections", [.append1000, .append1000000, .replace, .member]),
                ("knows no isolation but queues", [.sharedOnMainActor, .sharedOnMainActorOn, .hopToActor]),
                ("has no sequence on Linux", [.sequence, .sequenceInStep]),
                ("a name is posted, nothing is sent", [.send]),
            ])
    }

    /// Notifications of events.
    private static var notifications: [Benchmark] {
        [
            posting(post, observers: 1).by(center, []), posting(postToMany, observers: 100).by(center, [.postToMany]),
            .loop(postWeakly) {
                let observed = ObservedNotifications(names: [])
                let name = Notification.Name("name")
                observed.observeWeakly(name)
                return { passes in
                    for _ in 0..<passes { observed.center.post(name: name, object: nil) }
                    return observed.receiver.sum
                }
            }
            .by(center, [.post]),
            .loop(postValue) {
                let observed = ObservedNotifications(names: [])
                let name = Notification.Name("name")
                observed.observeValue(name)
                return { passes in
                    for pass in 0..<passes { observed.center.post(name: name, object: nil, userInfo: ["value": pass]) }
                    return observed.receiver.sum
                }
            }
            .by(center, [.postNumber, .postType]),
            .loop(postToNobody) {
                let observed = ObservedNotifications(names: [Notification.Name("other")])
                let name = Notification.Name("name")
                return { passes in
                    for _ in 0..<passes { observed.center.post(name: name, object: nil) }
                    return observed.receiver.sum
                }
            }
            .by(center, [.postToNobody]),
            .loop(addAndRemove) {
                let observed = ObservedNotifications(names: [Notification.Name("other")])
                let name = Notification.Name("name")
                return { passes in
                    for _ in 0..<passes {
                        let token = observed.observe(name)
                        observed.center.removeObserver(token)
                    }
                    return observed.receiver.sum
                }
            }
            .by(center, [.addAndRemoveName]),
            tearingDown(tearDownOneName, names: (0..<10_000).map { _ in Notification.Name("name") }).by(center, []),
            tearingDown(tearDownNames, names: (0..<10_000).map { Notification.Name("name \($0)") }).by(center, []),
            .once(tearDownOneNameWeakly, parts: 10_000) {
                let center = NotificationCenter()
                let all = (0..<10_000).map { _ in ObservedNotifications(names: [], center: center) }
                for one in all { one.observeWeakly(Notification.Name("name")) }
                return { all.reduce(0) { $0 &+ $1.removeAll() } }
            }
            .by(center, [.tearDownOneName]),
            .once(tearDownNamesWeakly, parts: 10_000) {
                let observed = ObservedNotifications(names: [])
                for number in 0..<10_000 { observed.observeWeakly(Notification.Name("name \(number)")) }
                return { observed.removeAll() }
            }
            .by(center, [.tearDownNames]),
            .loop(postOfObject) {
                let observed = ObservedNotifications(names: [])
                let name = Notification.Name("name")
                let objects = (0..<10_000).map { _ in ObservedNotifications.Receiver() }
                for object in objects { observed.observeWeakly(name, object: object) }
                let object = ObservedNotifications.Receiver()
                observed.observeWeakly(name, object: object)
                return { passes in
                    for _ in 0..<passes { observed.center.post(name: name, object: object) }
                    return observed.receiver.sum &+ objects.count
                }
            }
            .by(center, [.postObject]),
            .loop("Foundation: add + remove among 10000 names") {
                let observed = ObservedNotifications(names: (0..<10_000).map { Notification.Name("name \($0)") })
                let name = Notification.Name("name")
                return { passes in
                    for _ in 0..<passes {
                        let token = observed.observe(name)
                        observed.center.removeObserver(token)
                    }
                    return observed.receiver.sum
                }
            }
            .by(center, [.addAndRemoveAmongNames]),
            .loop("Foundation: post, each of 2 weak observers, of the name and of everything", parts: 2) {
                let observed = ObservedNotifications(names: [])
                let name = Notification.Name("name")
                observed.observeWeakly(name)
                observed.observeWeakly(nil)
                return { passes in
                    for _ in 0..<passes { observed.center.post(name: name, object: nil) }
                    return observed.receiver.sum
                }
            }
            .by(center, [.postToTwo]),
        ]
    }

    private static func posting(_ name: String, observers: Int) -> Benchmark {
        .loop(name, parts: observers) {
            let name = Notification.Name("name")
            let observed = ObservedNotifications(names: (0..<observers).map { _ in name })
            return { passes in
                for _ in 0..<passes { observed.center.post(name: name, object: nil) }
                return observed.receiver.sum
            }
        }
    }

    private static func tearingDown(_ name: String, names: [Notification.Name]) -> Benchmark {
        .once(name, parts: names.count) {
            let observed = ObservedNotifications(names: names)
            return { observed.removeAll() }
        }
    }
}
