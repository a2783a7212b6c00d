import SafeKVO

#if TWO_MODULES
    import Models
#endif

/// A notification of a key calls nobody who observes another key of the same type.
func otherKey() {
    let (radio, reader) = (Radio(), Reader())
    reader.watch("song.note", radio, \.song.note)
    reader.watch("note.count", radio.song, \.note.count)
    reader.watch("song.note.count", radio, \.song.note.count)
    reader.watch("title", radio.song, \.title)
    print("set the title")
    radio.song.setTitle("b")
}
