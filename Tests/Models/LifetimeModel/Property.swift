/// What can be set of an object.
package enum Property: Sendable {
    case value, other, next
}
