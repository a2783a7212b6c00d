/// Where the deaths of a case happen.
enum DeathPlace: String, CaseIterable, Sendable {
    case straight = "in a row"
    case initialHandler = "in an initial handler"
    case priorHandler = "in a prior handler"
    case handler = "in a handler"
    case otherThread = "on another thread"
    case otherThreadDuringHandler = "on another thread, during a handler"
}
