public import SafeKVO

/// The recorded controllers of the process, with the objects that they observe.
///
/// You get a graph from `ObservationDiagnostics.snapshot()`. Print it, or pass ``mermaid`` to a program that draws Mermaid flow
/// charts.
///
/// ## Retain cycles
///
/// ``retainCycles`` lists cycles of retained objects. In a cycle, each observation retains an object that is the observer of the
/// next observation. The cycle leaks if each of these observers retains its own controller, which is the usual pattern. The
/// library does not know which object retains a controller. If another object stores one of the controllers and releases it, the
/// listed cycle is harmless.
///
/// The library knows only its own references. It does not find a cycle through an observed object that stores its observer in a
/// property, or through a handler that captures its observer or its controller.
public struct ObservationGraph: Sendable {
    /// The controllers, in the order in which they were made.
    public let controllers: [ControllerSnapshot]
    /// The retain cycles, one for each group of objects that retain each other through observations.
    ///
    /// In a cycle, each observation retains the observer of the next one, and the last retains the observer of the first. If a group has
    /// several cycles, the array contains the shortest one through the object that was recorded first.
    public let retainCycles: [[ObservationSnapshot]]

    /// `isInCycle[c][o]` is `true` if observation `o` of controller `c` is part of a cycle.
    let isInCycle: [[Bool]]

    init(_ controllers: [ControllerSnapshot]) {
        self.controllers = controllers
        var graph = RetainGraph()
        var edges: [(controller: Int, observation: Int)] = []
        // Leave out deallocated observers, because new objects may have their identities.
        for (index, controller) in controllers.enumerated() where !controller.isObserverGone {
            for (place, observation) in controller.observations.enumerated() where observation.retainsSubject {
                graph.connect(controller.observer, observation.subject)
                edges.append((index, place))
            }
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
    /// A text with each controller, its observations, and the retain cycles.
    public var description: String {
        let count = controllers.reduce(0) { $0 + $1.observations.count }
        let head = "\(controllers.count) controllers, \(count) observations, \(retainCycles.count) retain cycles"
        let cycles = retainCycles.map { cycle in
            "retain cycle:\n" + cycle.map { "  \($0)" }.joined(separator: "\n")
        }
        return ([head] + controllers.map(\.description) + cycles).joined(separator: "\n")
    }
}

extension ObservationDiagnostics {
    /// Returns the recorded controllers of the process, with the objects that they observe.
    ///
    /// ```swift
    /// // Set this before the controllers are made.
    /// ObservationDiagnostics.isRecording = true
    /// …
    /// print(ObservationDiagnostics.snapshot())
    /// print(ObservationDiagnostics.snapshot().mermaid)
    /// ```
    ///
    /// The function reads one controller after another while other threads continue. So the result may mix states of different
    /// moments. For a short time, this thread retains each observer and each observed object. If all other references to such an
    /// object are released meanwhile, the object is deallocated on this thread.
    ///
    /// - Returns: The controllers that were made while ``isRecording`` was `true` and that still exist.
    /// - Complexity: O(*n* log *n*) for *n* observations.
    public static func snapshot() -> ObservationGraph {
        ObservationGraph(ObservationLog.knownControllers.map { ControllerSnapshot($0) })
    }
}

extension ObservationGraph {
    /// A flow chart in the Mermaid language, with an arrow from each observer to each object that it observes.
    ///
    /// An arrow is solid if the observed object is retained, and dotted if it is not. An arrow of a retain cycle is thick and
    /// red. Each object is named after its class. If several objects have one class, all but the first get a number. Observers
    /// without observations are left out.
    public var mermaid: String {
        let chart = MermaidChart(self)
        let red = chart.cycleArrows.map { "\($0)" }.joined(separator: ",")
        let style = red.isEmpty ? [] : ["    linkStyle \(red) stroke:red"]
        return (["flowchart LR"] + chart.nodes + chart.arrows + style).joined(separator: "\n")
    }
}

private struct MermaidChart {
    private struct Object: Hashable {
        let identity: ObjectIdentifier
        let isGone: Bool
    }

    private(set) var nodes: [String] = []
    private(set) var arrows: [String] = []
    /// The indexes of the arrows that are part of a retain cycle.
    private(set) var cycleArrows: [Int] = []
    private var names: [Object: String] = [:]
    private var counts: [String: Int] = [:]

    init(_ graph: ObservationGraph) {
        for (controller, marks) in zip(graph.controllers, graph.isInCycle) {
            for (observation, isInCycle) in zip(controller.observations, marks) {
                let from = name(of: controller.observer, controller.observerType, isGone: controller.isObserverGone)
                let to = name(of: observation.subject, observation.subjectType)
                let line = isInCycle ? "==>" : observation.retainsSubject ? "-->" : "-.->"
                if isInCycle { cycleArrows.append(arrows.count) }
                let label = Self.quoted("\(observation.name), \(observation.deliveries) calls")
                arrows.append("    \(from) \(line)|\(label)| \(to)")
            }
        }
    }

    private mutating func name(of object: ObjectIdentifier, _ type: String, isGone: Bool = false) -> String {
        let object = Object(identity: object, isGone: isGone)
        if let name = names[object] { return name }
        let name = "n\(names.count)"
        names[object] = name
        let count = (counts[type] ?? 0) + 1
        counts[type] = count
        let title = (count == 1 ? type : "\(type) \(count)") + (isGone ? ", deallocated" : "")
        nodes.append("    \(name)[\(Self.quoted(title))]")
        return name
    }

    private static func quoted(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "#": escaped += "#35;"
            case "\"": escaped += "#quot;"
            case "<": escaped += "#lt;"
            case ">": escaped += "#gt;"
            case "&": escaped += "#amp;"
            case "`": escaped += "#96;"
            case _ where character.isNewline: escaped += " "
            default: escaped.append(character)
            }
        }
        return "\"\(escaped)\""
    }
}
