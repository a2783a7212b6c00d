import SafeKVO

/// Objects that observe, change and announce in `init` and in `deinit`, their own and each other's.
enum Lives {
    /// Does everything to itself before it is a whole object and after.
    final class Escaping: KeyValueObject, AutomaticObserver {
        let observationSlot = ObservationSlot()
        @Observed var number = 0
        @AtomicObserved var shared = 0
        @Observed var items = [1]
        var sum: Int { number + shared }
        private(set) var calls = 0

        init(_ watcher: Watcher) {
            super.init()
            use(watcher)
            number = 2
        }

        deinit {
            use(Watcher())
            number = 3
            shared = 3
        }

        func use(_ watcher: Watcher) {
            for observations in [observations, nonRetainingObservations] {
                observations.observe(self, \.number) { me, _ in me.calls += 1 }
                observations.observe(self, \.sum, options: [.prior, .old, .new, .initial]) { me, _, _ in me.calls += 1 }
                observations.observeEach(self, [\.self, \.items.count], options: .prior) { me, _, _ in me.calls += 1 }
            }
            let other = ObservationController(observer: watcher, retainsObserved: false)
            other.observe(self, \.number) { watcher, _ in watcher.call() }
            other.observe(self, \.sum) { watcher, _ in watcher.call() }
            other.observe(self, \.self, options: []) { watcher, _, _ in watcher.call() }
            let retaining = ObservationController(observer: watcher)
            retaining.observe(self, \.number) { watcher, _ in watcher.call() }
            retaining.observe(self, \.sum, tag: "x") { watcher, _ in watcher.call() }
            number += 1
            shared += 1
            $shared.update { $0 += 1 }
            items.append(1)
            mutableArrayValue(for: \.items).append(2)
            withChange(of: \.sum) { number += 1 }
            access(\.sum)
            access(\.self)
            willChangeValue(for: \.number)
            didChangeValue(for: \.number)
            withBatchedChanges { number += 1 }
            withBatchedChanges { [self] in
                number += 1
                mutableArrayValue(for: \.items).removeAll()
            }
            _ = (observations.observations, ObservationDiagnostics.observations(of: self, includingDependencies: true))
            retaining.unobserve(self)
            retaining.unobserve(self, \.number)
            observations.unobserve(self, \.number)
            nonRetainingObservations.unobserveAll()
        }
    }

    /// Announces that its value changes, and goes before it has.
    final class Leaving: KeyValueObject {
        @Observed var number = 0
        var byHand = 0
        deinit {
            willChangeValue(for: \.byHand)
            willChangeValue(for: \.number)
            number = 1
        }
    }

    /// A source that does everything in `init` and `deinit`.
    final class LeavingSource: ObservationSource {
        let eventRegistrar = EventRegistrar<Int>()
        let watcher: Watcher
        let observations: ObservationController<Watcher>

        init(_ watcher: Watcher) {
            self.watcher = watcher
            observations = ObservationController(observer: watcher, retainsObserved: false)
            use()
        }

        deinit { use() }

        func use() {
            observations.observe(self) { watcher, _ in watcher.call() }
            tell(1, from: self)
            observations.unobserve(self, for: nil)
            observations.observe(self, ifAlreadyObserved: .replace) { watcher, _, _ in watcher.call() }
            _ = observations.events(of: self)
            tell(2, from: self)
        }

        func observationDidBegin(_ info: ObservationInfo) {
            _ = info.debugDescription
            tell(3, from: self)
            observations.unobserve(self, for: nil, tag: "x")
        }

        func observationDidEnd(_ info: ObservationInfo) {
            _ = info.debugDescription
            tell(4, from: self)
        }
    }

    /// An observer that begins and ends things when it goes.
    final class LeavingObserver: AutomaticObserver {
        let observationSlot = ObservationSlot()
        let whole: Whole
        init(_ whole: Whole) { self.whole = whole }
        deinit {
            observations.observe(whole, \.number) { _, _ in }
            nonRetainingObservations.observe(whole, \.sum) { _, _ in }
            let late = ObservationController(observer: self)
            late.observe(whole, \.number) { _, _ in }
            late.observe(Counter()) { _, _ in }
            _ = (late.observer, late.values(of: whole, \.number), late.counters)
            whole.number += 1
            observations.unobserveAll()
            late.invalidate()
        }
    }

    static let mistakes = Mistakes(
        "objects in init and in deinit",
        [
            Mistake("an object that does everything to itself") {
                let watcher = Watcher()
                for _ in 0..<10 {
                    let object = Escaping(watcher)
                    object.number = 9
                    object.use(watcher)
                }
            },
            Mistake("an object that goes in a handler, in a batch, in a change by hand") {
                let all = Controllers(retaining: false)
                for way in 0..<4 {
                    nonisolated(unsafe) var object: Escaping? = Escaping(all.watcher)
                    all.ofWatcher.observe(unsafe object, \.number, options: [.prior, .old, .new]) { _, _, _ in unsafe object = nil }
                    switch way {
                    case 0: unsafe object?.number = 1
                    case 1: withBatchedChanges { unsafe object?.number = 1 }
                    case 2: unsafe object?.withChange(of: \.number) {}
                    default: unsafe object?.mutableArrayValue(for: \.items).append(1)
                    }
                }
            },
            Mistake("an announcement that outlives its object") {
                let all = Controllers(retaining: false)
                for _ in 0..<10 {
                    let leaving = Leaving()
                    all.ofWatcher.observe(leaving, \.byHand, options: .prior) { _, _, _ in }
                    all.ofWatcher.observe(leaving, \.number, options: .prior) { _, _, _ in }
                    leaving.willChangeValue(for: \.byHand)
                }
            },
            Mistake("a source that does everything in init and deinit") {
                let watcher = Watcher()
                for _ in 0..<10 {
                    let source = LeavingSource(watcher)
                    source.use()
                }
            },
            Mistake("an observer that observes in deinit") {
                let whole = Whole()
                for _ in 0..<10 {
                    let observer = LeavingObserver(whole)
                    observer.observations.observe(whole, \.number) { _, _ in }
                }
                try check(ObservationDiagnostics.observations(of: whole, includingDependencies: true).isEmpty, "something is left")
            },
            Mistake("handlers that hold their controller, and are let go by it") {
                let whole = Whole()
                do {
                    let all = Controllers()
                    let shared = all.shared
                    for tag in ["a", "b", "c"] as [ObservationTag] {
                        all.ofWatcher.observe(
                            whole, \.number, tag: tag,
                            handler: { _, number in if number > 0 { all.ofWatcher.invalidate() } },
                            onTermination: { _ in
                                shared.unobserveAll()
                                shared.observe(whole, \.shared, on: .anyThread { _, _ in })
                            })
                    }
                }
                whole.number = 1
            },
            Mistake("a long chain of objects that observe each other goes") {
                final class Link: KeyValueObject, AutomaticObserver {
                    let observationSlot = ObservationSlot()
                    @Observed var number = 0
                }
                let first = Link()
                var link = first
                for _ in 0..<500 {
                    let next = Link()
                    link.observations.observe(next, \.number) { _, _ in }
                    link = next
                }
            },
        ])
}
