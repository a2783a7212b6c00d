/// What is asked of an observation.
package struct Wish: Sendable {
    package var initial: Bool
    package var prior: Bool
    package var old: Bool
    package var isTagged: Bool
    package var replaces: Bool
    /// What the handler does.
    package var reaction: [Operation]
    /// In how many calls it does so.
    package var shots: Int
}
