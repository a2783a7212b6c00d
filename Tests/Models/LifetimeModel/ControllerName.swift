/// Which controller an operation uses.
package enum ControllerName: Sendable {
    /// One that the program made and holds.
    case slot(Int)
    /// One of those that the object in a place has by itself.
    case automatic(place: Int, retaining: Bool)
}
