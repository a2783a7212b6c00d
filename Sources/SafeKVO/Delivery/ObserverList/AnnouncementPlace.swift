/// Where a change was announced by hand: in the source, and on the stack of its thread.
struct AnnouncementPlace {
    let position: SourcePosition
    let column: UInt
    let stack: UInt

    /// More than two functions that announce differ in what they need of the stack.
    private static let largestFrame: UInt = 2048

    /// Whether this cannot be between the beginning and the end of what began at another place.
    ///
    /// The same call at the same place of the stack cannot be inside itself, and what was called from clearly deeper down has returned.
    func cannotBeInside(_ other: AnnouncementPlace) -> Bool {
        stack > other.stack + Self.largestFrame || self == other
    }
}

extension AnnouncementPlace: Hashable {
    /// Whether the same call was made at the same place of the stack.
    static func == (left: AnnouncementPlace, right: AnnouncementPlace) -> Bool {
        left.stack == right.stack && left.column == right.column && left.position == right.position
    }

    /// Leaves out the file, whose name costs more to hash than it tells apart.
    func hash(into hasher: inout Hasher) {
        hasher.combine(stack)
        hasher.combine(column)
        hasher.combine(position.line)
    }
}
