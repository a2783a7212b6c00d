/// What the handler of an observation takes.
package enum Form: Sendable {
    case change
    /// The whole value: the present one on registration, then each new one.
    case value
}
