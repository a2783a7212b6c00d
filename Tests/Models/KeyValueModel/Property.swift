/// The properties of a node that an announcement can be about, and the constant reference.
package enum Property: Int, CaseIterable, Sendable {
    case a, items, set, level
    case b, quiet, next, inner, part, own
    /// Properties of the base class that the subclass overrides: reading nothing else, reading `b` as well, and keeping only some elements.
    case shade, width, tags
    /// A reference that is an atomic property.
    case atomic
    /// A constant reference, which nobody announces.
    case fixed
    /// A reference in plain storage, whose getter reports nothing.
    case manual
    /// A weak reference, which is an observed property.
    case weak
    /// A reference in plain storage whose getter calls `access(_:)`.
    case accessed
    /// The computed key over foreign state, which is announced manually.
    case outside
    /// The computed key over foreign state whose getter calls `access(_:)`.
    case text
    /// A computed key that is announced manually besides what its getter reads.
    case sum

    /// `true` if it is no observed property, so that only a manual notification can announce it.
    var isComputed: Bool {
        switch self {
        case .manual, .accessed, .outside, .text, .sum: true
        default: false
        }
    }

    /// `true` if an assignment to it notifies nobody.
    package var isSilent: Bool { isComputed || self == .quiet }

    /// `true` if a change of it changes what keys depend on.
    package var decidesDependencies: Bool {
        switch self {
        case .a, .next, .inner, .part, .atomic, .manual, .weak, .accessed: true
        case .items, .set, .level, .b, .quiet, .own, .shade, .width, .tags, .outside, .text, .sum, .fixed: false
        }
    }
}
