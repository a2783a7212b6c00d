/// What an observation asks for.
package struct Options: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let new = Options(rawValue: 1)
    package static let old = Options(rawValue: 2)
    package static let initial = Options(rawValue: 4)
    package static let prior = Options(rawValue: 8)
}

extension Options: CustomStringConvertible {
    package var description: String {
        let names: [(Options, String)] = [(.initial, "initial"), (.prior, "prior"), (.old, "old"), (.new, "new")]
        return "[" + names.filter { contains($0.0) }.map(\.1).joined(separator: ", ") + "]"
    }
}
