/// The observer of a view model: it shows the last values that it was notified of.
public final class PlayerScreen: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything happens on one thread.
    /// The title that the screen shows.
    public final var title = ""
    /// The volume that the screen shows.
    public final var volume = 0
    /// Shows if the player plays.
    public final var isPlaying = false
    /// Shows if anything can be heard.
    public final var isAudible = false
    /// The rating that the screen shows.
    public final var rating = 0
    /// The length of the queue that the screen shows.
    public final var queueCount = 0

    /// Makes a screen that shows nothing yet.
    public init() {}
}
