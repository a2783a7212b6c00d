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

extension ObservationDiagnostics {
    /// Who observes whom, in the whole process, as far as ``isRecording`` lets the library know.
    ///
    /// ```swift
    /// ObservationDiagnostics.isRecording = true  // before the controllers are made
    /// …
    /// print(ObservationDiagnostics.snapshot())
    /// print(ObservationDiagnostics.snapshot().mermaid)
    /// ```
    ///
    /// It looks at one controller after another while the program goes on, so it is no picture of one moment. Of each observer and observed
    /// object a reference is taken and let go of on this thread, which may end the object here if all other references go meanwhile.
    ///
    /// - Returns: the controllers that are left of those made while recording was on.
    /// - Complexity: O(*n* log *n*) for *n* observations.
    public static func snapshot() -> ObservationGraph {
        ObservationGraph(ControllerTable.shared.cores.map { ControllerSnapshot($0) })
    }
}

extension ObservationGraph {
    /// A flow chart in Mermaid's language: an arrow from each observer to what it observes.
    ///
    /// The arrow is solid if the observed object is retained, dotted if it is not, and thick and red if it is part of a retain cycle.
    /// Objects have the names of their classes, and a number where there are several of one class. Observers that observe nothing are left
    /// out.
    public var mermaid: String {
        let chart = ObservationChart(self)
        let nodes = chart.nodes.map { "    \($0.name)[\(Self.mermaidText($0.title))]" }
        let arrows = chart.arrows.map { arrow in
            let line = arrow.isInCycle ? "==>" : arrow.isRetaining ? "-->" : "-.->"
            return "    \(arrow.from) \(line)|\(Self.mermaidText(arrow.label))| \(arrow.to)"
        }
        let red = chart.arrows.indices.filter { chart.arrows[$0].isInCycle }
        let style = red.isEmpty ? [] : ["    linkStyle \(red.map { "\($0)" }.joined(separator: ",")) stroke:red"]
        return (["flowchart LR"] + nodes + arrows + style).joined(separator: "\n")
    }

    /// The same chart in Graphviz's language: `dot -Tsvg` draws it.
    public var dot: String {
        let chart = ObservationChart(self)
        let nodes = chart.nodes.map { "    \($0.name) [label=\(Self.dotText($0.title))];" }
        let arrows = chart.arrows.map { arrow in
            let style = arrow.isInCycle ? ", color=red, penwidth=2" : arrow.isRetaining ? "" : ", style=dashed"
            return "    \(arrow.from) -> \(arrow.to) [label=\(Self.dotText(arrow.label))\(style)];"
        }
        return (["digraph observations {", "    rankdir=LR;", "    node [shape=box];"] + nodes + arrows + ["}"]).joined(separator: "\n")
    }

    /// A text in quotation marks for Graphviz.
    private static func dotText(_ text: String) -> String {
        let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : $0.isNewline ? " " : "\($0)" }
        return "\"" + escaped.joined() + "\""
    }

    /// A text in quotation marks for Mermaid, of which every character stands for itself.
    private static func mermaidText(_ text: String) -> String {
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

/// The objects and the arrows of a chart, with names for the chart and texts for people.
private struct ObservationChart {
    struct Arrow {
        let from: String
        let to: String
        let label: String
        let isRetaining: Bool
        let isInCycle: Bool
    }

    private struct Object: Hashable {
        let identity: ObjectIdentifier
        /// `true` for an observer that is gone, at whose address another object may be now.
        let isGone: Bool
    }

    private(set) var nodes: [(name: String, title: String)] = []
    private(set) var arrows: [Arrow] = []
    private var names: [Object: String] = [:]
    private var counts: [String: Int] = [:]

    init(_ graph: ObservationGraph) {
        for (controller, marks) in zip(graph.controllers, graph.isInCycle) {
            for (observation, isInCycle) in zip(controller.observations, marks) {
                let from = name(of: controller.observer, controller.observerType, isGone: controller.isObserverGone)
                let to = name(of: observation.subject, observation.subjectType)
                arrows.append(
                    Arrow(
                        from: from, to: to, label: "\(observation.name), \(observation.deliveries) calls",
                        isRetaining: observation.retainsSubject, isInCycle: isInCycle))
            }
        }
    }

    /// The name of an object in the chart.
    private mutating func name(of object: ObjectIdentifier, _ type: String, isGone: Bool = false) -> String {
        let object = Object(identity: object, isGone: isGone)
        if let name = names[object] { return name }
        let name = "n\(names.count)"
        names[object] = name
        let count = (counts[type] ?? 0) + 1
        counts[type] = count
        nodes.append((name, (count == 1 ? type : "\(type) \(count)") + (isGone ? ", deallocated" : "")))
        return name
    }
}
