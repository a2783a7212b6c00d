import SafeKVO

struct Tour {
    let ticks: Int

    func run() async {
        let clock = WallClock()
        await showTheTime(of: clock)
        await pauseTheView(of: clock)
        await pauseTheClock(clock)
        await letTheViewDie(before: clock)
        await letTheViewDieBeforeItsController(clock)
        let view = await letTheClockDie()
        report(view)
    }

    private func showTheTime(of clock: WallClock) async {
        print("The present time first, then each change")
        let view = TerminalView(name: "kitchen")
        view.print("\(view.show(clock))")
        await clock.run(ticks: ticks)
        view.print("asked again: \(view.show(clock))")
    }

    private func pauseTheView(of clock: WallClock) async {
        print("A view that looks away for a while")
        let view = TerminalView(name: "study")
        view.show(clock)
        view.print("ended: \(view.hide(clock)), asked again: \(view.hide(clock))")
        await clock.run(ticks: ticks)
        view.show(clock)
        await clock.run(ticks: ticks)
        view.print("\(view.counters)")
    }

    private func pauseTheClock(_ clock: WallClock) async {
        print("A clock that stands still for a while")
        let view = TerminalView(name: "bedroom")
        view.show(clock)
        clock.isRunning = false
        clock.isRunning = false
        await clock.run(ticks: ticks)
        clock.isRunning = true
        await clock.run(ticks: ticks)
        view.print("\(view.counters)")
    }

    private func letTheViewDie(before clock: WallClock) async {
        print("A view that dies while the clock goes on")
        var view: TerminalView? = TerminalView(name: "cellar")
        view?.show(clock)
        view = nil
        await clock.run(ticks: ticks)
        print("  nobody looks, but it is \(clock.time)")
    }

    private func letTheViewDieBeforeItsController(_ clock: WallClock) async {
        print("A view that dies before its controller, which somebody else keeps")
        var view: TerminalView? = TerminalView(name: "attic")
        let observations = view.map { ObservationController(observer: $0) }
        observations?.observe(clock, \.time) { view, time in view.print(time) }
        view = nil
        await clock.run(ticks: ticks)
        print("  the controller: \(observations?.counters ?? ObservationCounters())")
    }

    private func letTheClockDie() async -> TerminalView {
        print("A clock that dies while a view looks at it without retaining it")
        let view = TerminalView(name: "hall", retainsClock: false)
        var clock: WallClock? = WallClock()
        if let clock {
            view.show(clock)
            await clock.run(ticks: ticks)
        }
        clock = nil
        return view
    }

    private func report(_ view: TerminalView) {
        print("Counters")
        print("  \(view.name), which is still there: \(view.counters)")
        print("  broker, of all controllers that have ended: \(ObservationBroker.shared.counters)")
    }
}
