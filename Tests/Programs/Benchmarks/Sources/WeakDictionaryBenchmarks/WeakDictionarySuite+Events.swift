import BenchmarkKit

extension WeakDictionarySuite {
    /// A list by itself, and lists by names.
    static var events: [Benchmark] {
        [
            byHand.loop(.send) {
                let (list, view) = (ListedNames.List(), PeerView())
                list.observers.add(view) { view, _, new in view.sum &+= new &* view.step }
                return { passes in
                    for pass in 0..<passes { list.send(pass) }
                    return view.sum
                }
            },
            posting([.post, .postNumber, .postType], observers: 1), posting([.postToMany], observers: 100),
            byHand.loop(.postToNobody) {
                let (names, view) = (ListedNames(), PeerView())
                names.add("other", view)
                return { passes in
                    for pass in 0..<passes { names.post("name", pass) }
                    return view.sum
                }
            },
            addingAndRemoving(.addAndRemoveName, names: 1), addingAndRemoving(.addAndRemoveAmongNames, names: 10_000),
            byHand.once(.tearDownOneName, parts: 10_000) {
                let names = ListedNames()
                let views = (0..<10_000).map { _ in PeerView() }
                for view in views { names.add("name", view) }
                return {
                    for view in views { names.remove("name", view) }
                    return views.count
                }
            },
            byHand.once(.tearDownNames, parts: 10_000) {
                let (names, view) = (ListedNames(), PeerView())
                let all = (0..<10_000).map { "name \($0)" }
                for name in all { names.add(name, view) }
                return {
                    for name in all { names.remove(name, view) }
                    return all.count
                }
            },
        ]
    }

    private static func posting(_ cases: [Case], observers: Int) -> Benchmark {
        Benchmark.loop("\(byHand.name): post, each of \(observers) observers", parts: observers) {
            let names = ListedNames()
            let views = (0..<observers).map { _ in PeerView() }
            for view in views { names.add("name", view) }
            return { passes in
                for pass in 0..<passes { names.post("name", pass) }
                return views.reduce(0) { $0 &+ $1.sum }
            }
        }
        .by(byHand, cases)
    }

    private static func addingAndRemoving(_ benchmarked: Case, names count: Int) -> Benchmark {
        byHand.loop(benchmarked) {
            let (names, view, other) = (ListedNames(), PeerView(), PeerView())
            for number in 0..<count { names.add("name \(number)", other) }
            return { passes in
                for _ in 0..<passes {
                    names.add("name", view)
                    names.remove("name", view)
                }
                return passes &+ other.sum
            }
        }
    }
}
