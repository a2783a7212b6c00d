import SafeKVO
import SafeKVOEvents

/// A message that a view posts when it needs a cover, without knowing who answers.
struct CoverWanted: Message {
    let title: String
    weak var view: AlbumView?
}
