import BenchmarkKit

/// A hundred observers and weak references to them, each loaded where it is.
///
/// An array would copy each weak reference before loading it, which costs as much again; so each stands in an element of a list.
final class WeakObservers {
    let observers = (0..<100).map { _ in LimitObserver() }
    private let first: Element?

    private final class Element {
        weak var observer: LimitObserver?
        let didChange: (LimitObserver, Int) -> Void
        let next: Element?

        init(_ observer: LimitObserver, next: Element?) {
            let step = opaque(1)
            self.observer = observer
            didChange = { $0.sum &+= $1 &* step }
            self.next = next
        }
    }

    init() {
        first = observers.reversed().reduce(nil) { Element($1, next: $0) }
    }

    var sum: Int { observers.reduce(0) { $0 &+ $1.sum } }

    /// Loads each reference.
    @inline(never)
    func load(passes: Int) -> Int {
        for pass in 0..<passes {
            forEach { if let observer = $0.observer { observer.sum &+= pass } }
        }
        return passes
    }

    /// Loads each reference and calls the closure beside it.
    @inline(never)
    func call(passes: Int) -> Int {
        for pass in 0..<passes {
            forEach { if let observer = $0.observer { $0.didChange(observer, pass) } }
        }
        return passes
    }

    /// Passes every element along without retaining it.
    @inline(__always)
    private func forEach(_ body: (Element) -> Void) {
        // SAFETY: the list never changes.
        var next = unsafe first.map { unsafe Unmanaged.passUnretained($0) }
        while let element = unsafe next {
            unsafe next = unsafe element._withUnsafeGuaranteedRef { element in
                body(element)
                return unsafe element.next.map { unsafe Unmanaged.passUnretained($0) }
            }
        }
    }
}
