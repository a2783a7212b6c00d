/// When an observer is called.
package enum Phase: Sendable {
    case initial, prior, after
}
