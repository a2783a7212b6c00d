import SafeKVO

/// What a view posts when it needs a cover: who answers, it does not know.
struct CoverWanted: Message {
    let title: String
    /// Who wants it, and may be gone before it comes.
    weak var view: AlbumView?
}
