import SafeKVO

#if TWO_MODULES
    import Models
#endif

private func change<Value: Equatable>(_ values: [Value], _ words: String) {
    let (owner, reader) = (PairOwner(Pair(values[0], values[1])), Reader())
    let pair = owner.pair
    reader.watch("left", pair, \.left)
    reader.watch("areEqual", pair, \.areEqual)
    reader.watch("pair.right", owner, \.pair.right)
    print("left,", words)
    pair.left = values[1]
    print("right,", words)
    pair.right = values[2]
    print("another pair,", words)
    owner.pair = Pair(values[0], values[0])
    print("the former pair,", words)
    pair.right = values[0]
}

/// Classes with a type parameter, whose type arguments another module chooses.
func generic() {
    change([1, 2, 3], "numbers")
    change(["a", "b", "c"], "texts")
}
