import SafeKVO

#if TWO_MODULES
    import Models
#endif

/// A hop that nothing reports is not followed: the change of a dependency evaluates the key path anew.
func stale() {
    let (deck, reader, track) = (Deck(), Reader(), Track("forced"))
    reader.watch("current?.name", deck, \.current?.name)
    print("force")
    deck.force(track)
    print("rename forced")
    track.name = "forced 2"
    print("rename selected")
    deck.selected?.name = "selected 2"
    print("rename forced")
    track.name = "forced 3"
    print("force nil")
    deck.force(nil)
}

/// With `access(_:)` in the getter, the exchange is noticed, and the former object is silent.
func staleReported() {
    let (deck, reader, track) = (ReportedDeck(), Reader(), Track("forced"))
    reader.watch("current?.name", deck, \.current?.name)
    print("force")
    deck.force(track)
    print("rename forced")
    track.name = "forced 2"
    print("rename selected")
    deck.selected?.name = "selected 2"
    print("force nil")
    deck.force(nil)
    print("rename forced")
    track.name = "forced 3"
}
