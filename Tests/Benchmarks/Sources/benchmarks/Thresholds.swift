import BenchmarkKit
import SafeKVOBenchmarks
import FoundationBenchmarks
import LimitBenchmarks

/// What each row is compared with and what it may cost: the design's "figures to beat", as data.
///
/// Budgets are never adjusted to results. Factors are against a limit row of the same run; nanoseconds and bytes are as they are.
enum Thresholds {
    /// By the name of the row.
    static let all: [String: Threshold] = {
        var all: [String: Threshold] = [
            "set, nobody observes": Threshold(limit: LimitSuite.plainSet, .atMostTimes(2.5)),
            "get, nobody observes": Threshold(limit: LimitSuite.plainGet, .atMostTimes(2)),
            "create an object": Threshold(limit: LimitSuite.creation, .atMostTimes(1.3)),
            "set, another property is observed": Threshold(limit: LimitSuite.closure),
            "get, 1 observer": Threshold(limit: LimitSuite.plainGet),

            "set, 1 observer: value form": oneObserver,
            "set, 1 observer: change form": oneObserver,
            "set, 1 observer: nothing captured": Threshold(limit: LimitSuite.weakObserver),
            "set, 1 observer: [.old, .new]": oneObserver,
            "set, 1 observer: .prior, each of 2 calls": oneObserver,
            "set, 1 observer: action": oneObserver,
            "set, 1 observer: removing duplicates": oneObserver,
            // 200 ns against 89: one weak load more.
            "set, 1 observer: not retaining": Threshold(limit: LimitSuite.weakObserver, .atMostTimes(2.25)),
            "set, 1 observer: a duplicate removed": Threshold(limit: LimitSuite.weakObserver),
            "set, 1 observer: on the main actor": Threshold(limit: LimitSuite.weakObserver),
            // The issue of isolation: a delivery on the main actor, made there.
            SafeKVOSuite.sharedOnMainActor + ", on: the main actor": Threshold(limit: SafeKVOSuite.sharedOnMainActor, .atMostTimes(1.5)),
            "set, 1 observer: derived key path": derived,
            "set, 1 observer: derived key path, [.old, .new]": Threshold(limit: "set, 1 observer, and a read of a derived key path"),
            "set, 1 observer: nested key path": derived,
            "set, 1 observer: nested key path of five hops, at the end": derived,
            "append + remove the last through the proxy, 1000000 elements": Threshold(
                limit: "append + remove the last through the proxy, 1000 elements", .atMostTimes(1.5)),

            "set, each of 10 observers: value form": Threshold(limit: LimitSuite.weakLoad),
            "set, each of 100 observers: value form": Threshold(limit: LimitSuite.weakLoad, .atMostTimes(1.35)),
            "set, each of 1000 observers: value form": Threshold(limit: LimitSuite.weakLoad),
            "set, each of 100 observers: change form": Threshold(limit: LimitSuite.weakLoad, .atMostTimes(1.35)),

            addAndRemove: Threshold(.atMost(500)),
            "add + remove, key path first written elsewhere": Threshold(limit: addAndRemove, .atMost(500)),
            "tear down, each of 10000 subjects of 1 observer": Threshold(.atMost(300)),
            "tear down, each of 10000 observers of 1 subject": Threshold(.atMost(300)),

            "bytes an observation, 200000 observers of 1 subject": Threshold(.atMost(200)),
            "bytes an observation, 200000 subjects of 1 observer": Threshold(.atMost(200)),
            // One word.
            "bytes a subject pays that nobody observes": Threshold(.atMost(8)),

            "two threads, two subjects": Threshold(limit: LimitSuite.threads, .atLeast(1.9)),
            "two threads, two subjects, by processor time": Threshold(limit: LimitSuite.threads),

            "send, 1 observer": oneObserver,
            "post, 1 observer": Threshold(limit: FoundationSuite.postWeakly, .atMostTimes(0.25)),
            "post of a type, 1 observer": Threshold(limit: FoundationSuite.postValue, .atMostTimes(0.25)),
            "post of a number under a name, 1 observer": Threshold(limit: FoundationSuite.postValue),
            "post, each of 100 observers": Threshold(limit: FoundationSuite.postToMany),
            "post, each of 2 observers, of the name and of everything": Threshold(limit: FoundationSuite.post),
            "post, nobody observes the name": Threshold(limit: FoundationSuite.postToNobody),
            "post, 1 observer of the name and object, 10000 others of theirs": Threshold(limit: FoundationSuite.postOfObject),
            "add + remove, a name": Threshold(limit: FoundationSuite.addAndRemove),
            "add + remove, a name among 10000": Threshold(limit: "add + remove, a name"),
            "tear down, each of 10000 observers of 1 name": Threshold(limit: FoundationSuite.tearDownOneNameWeakly, .atMostTimes(1 / 3.0)),
            "tear down, each of 10000 observers of 10000 names": Threshold(
                limit: FoundationSuite.tearDownNamesWeakly, .atMostTimes(1 / 3.0)),
        ]
        for place in ["on the subject", "in the controller"] {
            for others in [1000, 100_000] {
                all["add + remove, \(others) others \(place)"] = Threshold(limit: addAndRemove, .atMost(500))
            }
        }
        return all
    }()

    private static let oneObserver = Threshold(limit: LimitSuite.weakObserver, .atMostTimes(1.4))
    /// Three times what a direct key path and the getter cost.
    private static let derived = Threshold(limit: "set, 1 observer, and a read of a derived key path", .atMostTimes(3))
    private static let addAndRemove = "add + remove, nobody else"
}
