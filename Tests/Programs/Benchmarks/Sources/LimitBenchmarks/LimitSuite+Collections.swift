import BenchmarkKit

extension LimitSuite {
    /// Plain collections whose owner tells a weak observer of each edit.
    static var collections: [Benchmark] {
        [
            .loop("limit: append + remove the last of a plain array, each told of") {
                let (list, observer) = observedList()
                return { passes in
                    for pass in 0..<passes {
                        list.append(pass)
                        list.removeLast()
                    }
                    return observer.sum
                }
            },
            .loop("limit: replace an element of a plain array, told of") {
                let (list, observer) = observedList()
                return { passes in
                    for pass in 0..<passes { list.replace(at: 500, with: pass) }
                    return observer.sum
                }
            },
            .loop("limit: insert + remove a member of a plain set, each told of") {
                let (list, observer) = observedList()
                return { passes in
                    for _ in 0..<passes {
                        list.insert(1000)
                        list.remove(1000)
                    }
                    return observer.sum
                }
            },
        ]
    }

    private static func observedList() -> (LimitList, LimitObserver) {
        let list = LimitList(count: 1000)
        let observer = LimitObserver()
        let step = opaque(1)
        list.observer = observer
        list.didChange = { $0.sum &+= $1 &* step }
        return (list, observer)
    }
}
