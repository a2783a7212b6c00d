/// One property of one node: what one announcement is about.
package struct Place: Hashable, Sendable {
    package let node: Int
    package let property: Property

    package init(_ node: Int, _ property: Property) {
        self.node = node
        self.property = property
    }
}

extension Place: CustomStringConvertible {
    package var description: String { "n\(node).\(property)" }
}
