import SafeKVO

/// The observer: prints what it is told.
///
/// It keeps its controller and never removes anything: when the view goes, its controller goes, and what was observed is unobserved.
final class TerminalView {
    let name: String
    private let retainsClock: Bool

    /// The controller, which knows the view weakly.
    ///
    /// It is made when it is first used, because it needs `self`.
    private lazy var observations = ObservationController(observer: self, retainsObserved: retainsClock)

    /// Makes a view.
    ///
    /// - Parameters:
    ///   - name: What it is called in the output.
    ///   - retainsClock: Whether the clock lives at least as long as it is shown, which is what a controller does by default.
    init(name: String, retainsClock: Bool = true) {
        self.name = name
        self.retainsClock = retainsClock
    }

    /// Shows a clock: its time now, and each new one.
    ///
    /// - Parameter clock: The clock.
    /// - Returns: what became of the request to observe the time; a view that shows the clock already goes on as before.
    @discardableResult
    func show(_ clock: WallClock) -> ObservationResult {
        // A method of the view. The change carries what the options ask for. The clock may be stopped twice: that is no news.
        observations.observe(
            clock, \.isRunning, options: [.old, .new], removing: .duplicates, action: TerminalView.isRunningDidChange(_:))

        // A closure that takes the observer and the value. The view comes as an argument, so that the closure does not capture it.
        return observations.observe(clock, \.time) { view, time in
            view.print(time)
        } onTermination: { [name] reason in
            Swift.print("  \(name): shows the clock no longer, reason: \(reason)")
        }
    }

    /// Stops showing a clock.
    ///
    /// - Parameter clock: The clock.
    /// - Returns: how many observations ended; none if the clock was not shown.
    @discardableResult
    func hide(_ clock: WallClock) -> Int {
        observations.unobserve(clock)
    }

    /// What became of the callbacks and requests of this view's controller.
    var counters: ObservationCounters { observations.counters }

    /// Prints a line with the view's name.
    func print(_ text: String) {
        Swift.print("  \(name): \(text)")
    }

    private func isRunningDidChange(_ change: KeyValueChange<Bool>) {
        guard let old = change.oldValue, let new = change.newValue else { return }
        print("isRunning was \(old), is \(new)")
    }
}
