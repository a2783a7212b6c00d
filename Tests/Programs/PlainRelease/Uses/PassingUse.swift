import SafeKVO

#if TWO_MODULES
    import Models
#endif

/// The value of each key path is the array that changes: kind and indexes pass, through a getter and a `?`.
func passing() {
    let (jukebox, reader) = (Jukebox(), Reader())
    if let playlist = jukebox.playlist {
        reader.watch("titles", playlist, \.titles)
        reader.watch("playlist?.songs", jukebox, \.playlist?.songs)
        reader.watch("playlist?.titles", jukebox, \.playlist?.titles)
        reader.watch("playlist?.titles.last", jukebox, \.playlist?.titles.last)
        print("append")
        playlist.mutableArrayValue(for: \.songs).append("a")
        print("insert")
        playlist.mutableArrayValue(for: \.songs).insert("b", at: 0)
        print("remove")
        _ = playlist.mutableArrayValue(for: \.songs).remove(at: 1)
    }
    print("nil")
    jukebox.playlist = nil
}
