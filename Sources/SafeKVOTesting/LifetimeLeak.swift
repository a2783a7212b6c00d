/// Objects that outlived the point where they should have been gone.
public struct LifetimeLeak: Error, CustomStringConvertible {
    /// Each object's type, and the line that tracked it.
    public let survivors: [String]

    /// All survivors, a line each.
    public var description: String {
        "\(survivors.count) object(s) still alive:\n" + survivors.map { "  \($0)" }.joined(separator: "\n")
    }
}
