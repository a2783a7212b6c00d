import EnduranceKit
import SafeKVO

/// The memory that stays when observers die and their controllers live on.
enum DeadObservers {
    static func measure(count: Int) {
        print("\nbytes of heap for each of \(count) observers whose controllers live on (an observer: \(size { Screen() }) B)")
        let (link, other) = (Link(), Link())
        // What the first observation of an object allocates is not the observers'.
        let viewer = Viewer()
        viewer.observations.observe(link, \.number) { _, _ in }
        viewer.observations.observe(other, \.number) { _, _ in }

        let empty = Resources.heap
        var controllers: [ObservationController<Screen>] = []
        controllers.reserveCapacity(count)
        var screens = (0..<count).map { _ in Screen() }
        var last = empty
        func row(_ text: String) {
            let heap = Resources.heap
            print("  \(figure(Double(heap - last) / Double(count)))  \(figure(Double(heap - empty) / Double(count)))  \(text)")
            last = heap
        }
        print("    change       sum")
        row("the observers and an array of them")
        for screen in screens { controllers.append(ObservationController(observer: screen)) }
        row("their controllers")
        for controller in controllers {
            controller.observe(link, \.number, initial: false) { screen, _ in screen.calls += 1 }
            controller.observe(other, \.number, initial: false) { screen, _ in screen.calls += 1 }
        }
        row("two observations of each")
        screens = []
        row("the observers are released")
        link.number = 1
        row("one of the two objects has changed")
        other.number = 1
        row("the other one has changed, too")
        controllers = []
        row("the controllers are released")

        print("\nbytes of heap for each of \(count) observers that were attached and never detached (an observer: \(size { Display() }) B)")
        let thermometer = Thermometer()
        thermometer.attach(Display())
        thermometer.notify()
        last = Resources.heap
        let start = last
        for _ in 0..<count { thermometer.attach(Display()) }
        print("  \(figure(Double(Resources.heap - start) / Double(count)))  \(count) observers were attached and released")
        thermometer.notify()
        print("  \(figure(Double(Resources.heap - start) / Double(count)))  after the next call")
    }

    private static func size(_ make: () -> AnyObject) -> Int {
        let before = Resources.heap
        let object = make()
        defer { withExtendedLifetime(object) {} }
        return Resources.heap - before
    }

    private static func figure(_ value: Double) -> String { Table.figure(value, width: 8) }
}
