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
        stack > other.stack + Self.largestFrame || isSame(as: other)
    }

    /// Whether the same call was made at the same place of the stack.
    func isSame(as other: AnnouncementPlace) -> Bool {
        stack == other.stack && position == other.position && column == other.column
    }
}
