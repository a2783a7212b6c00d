import SafeKVO

#if TWO_MODULES
    import Models
#endif

/// Edits through the proxies, and changes of the whole.
func collection() {
    let (album, reader) = (Album(), Reader())
    reader.watch("songs", album, \.songs)
    reader.watch("before songs", album, \.songs, [.old, .new, .prior], tag: "prior")
    reader.watch("count", album, \.songs.count)
    reader.watch("tags", album, \.tags)
    let (songs, tags) = (album.mutableArrayValue(for: \.songs), album.mutableSetValue(for: \.tags))
    print("append")
    songs.append("b")
    print("insert")
    songs.insert("a", at: 0)
    print("replace")
    songs[1] = "c"
    print("remove")
    _ = songs.remove(at: 0)
    print("in place")
    album.songs.append("d")
    print("assign")
    album.songs = []
    print("insert a member")
    _ = tags.insert("new")
    print("remove a member")
    _ = tags.remove("new")
    print("the union with nothing")
    tags.formUnion([])
}
