/// Who observes whom: the controllers that were recorded, with what they observe.
///
/// You get one from ``ObservationDiagnostics/snapshot()``. Print it, or give ``mermaid`` to a program that draws Mermaid's flow charts.
///
/// ## Retain cycles
///
/// ``retainCycles`` are the cycles that retaining observed objects makes: each observation in one retains an object that is the observer of
/// the next. They leak exactly if each of these observers keeps its controller, as the pattern of a controller stored in its observer does.
/// Who keeps a controller is not known to the library, so a cycle here may be harmless where a controller is kept elsewhere and let go of.
///
/// What is not seen: an observed object that keeps its observer in a property of its own, as a parent keeps the child that observes it, and
/// handlers that capture their observer or their controller. No reference but those that the library itself takes is known to it.
public struct ObservationGraph: Sendable {
    /// The controllers, in the order in which they were made.
    public let controllers: [ControllerSnapshot]
    /// A cycle for each group of objects that retain each other by observing each other.
    ///
    /// Each is the shortest through the member that was recorded first: every observation retains an object that is the observer of the
    /// next, and the last one retains the observer of the first.
    public let retainCycles: [[ObservationSnapshot]]

    /// The observations that are part of a cycle, by controller and by place in it.
    let isInCycle: [[Bool]]

    init(_ controllers: [ControllerSnapshot]) {
        self.controllers = controllers
        // What is left of an observer that is gone is no part of a cycle, and its address may be another's.
        let edges = controllers.indices.flatMap { controller in
            controllers[controller].isObserverGone
                ? []
                : controllers[controller].observations.indices.filter { controllers[controller].observations[$0].retainsSubject }
                    .map { (controller: controller, observation: $0) }
        }
        var graph = RetainGraph()
        for edge in edges {
            let controller = controllers[edge.controller]
            graph.connect(controller.observer, controller.observations[edge.observation].subject)
        }
        let found = graph.cycles()
        retainCycles = found.cycles.map { cycle in
            cycle.map { index in controllers[edges[index].controller].observations[edges[index].observation] }
        }
        var marks = controllers.map { Array(repeating: false, count: $0.observations.count) }
        for index in found.edges { marks[edges[index].controller][edges[index].observation] = true }
        isInCycle = marks
    }
}

extension ObservationGraph: CustomStringConvertible {
    /// Each controller with its observations, and the cycles that retaining makes.
    public var description: String {
        let count = controllers.reduce(0) { $0 + $1.observations.count }
        let head = "\(controllers.count) controllers, \(count) observations, \(retainCycles.count) retain cycles"
        let cycles = retainCycles.map { cycle in
            "retain cycle:\n" + cycle.map { "  \($0)" }.joined(separator: "\n")
        }
        return ([head] + controllers.map(\.description) + cycles).joined(separator: "\n")
    }
}
