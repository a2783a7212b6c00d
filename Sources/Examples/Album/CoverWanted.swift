import SafeKVO

/// A message that a view posts when it needs a cover, without knowing who answers.
struct CoverWanted: Message {
    let title: String
    /// The view that wants the cover, which may be deallocated before the cover arrives.
    weak var view: AlbumView?
}
