/// A controller as the model sees it.
struct ControllerState {
    let observer: Int
    let retaining: Bool
    let isAutomatic: Bool
    var references: Int
    var isInvalidated = false
    var counters = Counters()
}
