import SafeKVO

#if TWO_MODULES
    import Models
#endif

/// A `let` on the way, which no accessor reports, with a collection behind it: kinds and indexes pass.
func letHop() {
    let (house, reader) = (House(Room(Cabinet())), Reader())
    let former = house.room.cabinet
    reader.watch("books", house, \.room.cabinet.books)
    reader.watch("count", house, \.room.cabinet.books.count)
    reader.watch("label", house, \.room.cabinet.label)
    print("the first book")
    former.mutableArrayValue(for: \.books).append("b")
    print("insert")
    former.mutableArrayValue(for: \.books).insert("a", at: 0)
    print("remove both")
    _ = former.mutableArrayValue(for: \.books).remove(at: 1)
    _ = former.mutableArrayValue(for: \.books).remove(at: 0)
    print("label")
    former.label = "full"
    print("another room")
    house.room = Room(Cabinet(["c"]))
    print("the former cabinet")
    former.mutableArrayValue(for: \.books).append("d")
    former.label = "gone"
    print("the present cabinet")
    house.room.cabinet.mutableArrayValue(for: \.books).append("e")
}
