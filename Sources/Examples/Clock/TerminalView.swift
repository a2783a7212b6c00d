import SafeKVO

/// The observer of the example, which prints every time of day that a clock shows.
///
/// The view retains its controller and removes no observation itself. When the view is deallocated, the controller is
/// deallocated too and ends all observations.
final class TerminalView {
    let name: String
    private let retainsClock: Bool

    /// The view's controller, which does not retain the view; it is `lazy`, because it needs `self`.
    private lazy var observations = ObservationController(observer: self, retainsObserved: retainsClock)

    init(name: String, retainsClock: Bool = true) {
        self.name = name
        self.retainsClock = retainsClock
    }

    /// Prints the clock's present time, then each new one.
    ///
    /// If the view already shows the clock, nothing changes.
    @discardableResult
    func show(_ clock: WallClock) -> ObservationResult {
        // The handler is a method of the view. `removing: .duplicates` skips assignments that leave `isRunning` unchanged.
        observations.observe(
            clock, \.isRunning, options: [.old, .new], removing: .duplicates, action: TerminalView.isRunningDidChange(_:))

        // The handler is a closure. The view is an argument, so the closure does not capture it.
        return observations.observe(clock, \.time) { view, time in
            view.print(time)
        } onTermination: { [name] reason in
            Swift.print("  \(name): shows the clock no longer, reason: \(reason)")
        }
    }

    @discardableResult
    func hide(_ clock: WallClock) -> Int {
        observations.unobserve(clock)
    }

    var counters: ObservationCounters { observations.counters }

    func print(_ text: String) {
        Swift.print("  \(name): \(text)")
    }

    private func isRunningDidChange(_ change: KeyValueChange<Bool>) {
        guard let old = change.oldValue, let new = change.newValue else { return }
        print("isRunning was \(old), is \(new)")
    }
}
