extension ObservationGraph {
    /// A flow chart in Mermaid's language: an arrow from each observer to what it observes.
    ///
    /// The arrow is solid if the observed object is retained, dotted if it is not, and thick and red if it is part of a retain cycle.
    /// Objects have the names of their classes, and a number where there are several of one class. Observers that observe nothing are left
    /// out.
    public var mermaid: String {
        var nodes = MermaidNodes()
        var arrows: [String] = []
        var red: [Int] = []
        for (controller, marks) in zip(controllers, isInCycle) {
            for (observation, isInCycle) in zip(controller.observations, marks) {
                let from = nodes.name(of: controller.observer, controller.observerType, isGone: controller.isObserverGone)
                let to = nodes.name(of: observation.subject, observation.subjectType)
                let label = MermaidNodes.text("\(observation.name), \(observation.deliveries) calls")
                if isInCycle { red.append(arrows.count) }
                let arrow = isInCycle ? "==>" : observation.retainsSubject ? "-->" : "-.->"
                arrows.append("    \(from) \(arrow)|\(label)| \(to)")
            }
        }
        let style = red.isEmpty ? [] : ["    linkStyle \(red.map { "\($0)" }.joined(separator: ",")) stroke:red"]
        return (["flowchart LR"] + nodes.lines + arrows + style).joined(separator: "\n")
    }
}
