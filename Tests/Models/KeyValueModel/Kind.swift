/// The kinds of changes.
package enum Kind: String, Sendable {
    case setting, insertion, removal, replacement
}
