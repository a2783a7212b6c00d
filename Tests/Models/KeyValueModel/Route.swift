/// The way to a collection that a proxy is made for.
package enum Route: CaseIterable, Sendable {
    case own, inner, part, innerPart
}
