import Testing

extension AssumptionTests {
    private final class Node: Probing {
        let probe = Probe()
        @Probed var next: Node?
        @Probed var song = LiveSong()
        @Probed var number = 1
        @Probed var shelf = Shelf(1)
    }

    @Test(
        "Key paths appended from the last to the first equal the literal",
        .reliedOn(
            by: "KeyValue/Paths/AnyKeyPath+Components.swift",
            instead: "an evaluation of the whole path. A proxy would refuse a path of several properties"))
    func joinedKeyPaths() {
        func check(_ hops: [AnyKeyPath], _ literal: AnyKeyPath) {
            let joined = hops.dropLast().reversed().reduce(hops.last) { whole, hop in whole.flatMap { hop.appending(path: $0) } }
            #expect(joined == literal)
        }
        let unwrap: KeyPath<Node?, Node> = \.self!
        check([\Node.song, \LiveSong.place], \Node.song.place)
        check([\Node.shelf, \Shelf<Int>.items], \Node.shelf.items)
        check([\Node.next, unwrap, \Node.number], \Node.next!.number)
        check([\Node.next, unwrap, \Node.next, unwrap, \Node.song, \LiveSong.place], \Node.next!.next!.song.place)
        #expect((\Node.song as AnyKeyPath).appending(path: \LiveSong.place) != \Node.song.title)
        #expect((\Node.next as AnyKeyPath).appending(path: \Node.number) == nil)
    }

    @Test(
        "Equal key paths are equal wherever they are formed: in generic code, with equal arguments, and to the whole object",
        .reliedOn(
            by: "KeyValue/ObservationRecord+KeyPaths.swift and KeyValue/Paths",
            instead: "an evaluation of each key path, to find the property that it reads"))
    func equalKeyPaths() {
        func formed<Item>(_ type: Item.Type) -> [AnyKeyPath] { [\Shelf<Item>.items, \Shelf<Item>.items.count, \Shelf<Item>.self] }
        let literals: [AnyKeyPath] = [\Shelf<String>.items, \Shelf<String>.items.count, \Shelf<String>.self]
        #expect(formed(String.self) == literals)
        #expect(formed(String.self).map(\.hashValue) == literals.map(\.hashValue))
        #expect(Set(literals + formed(Int.self)).count == 6)
        func element(_ index: Int) -> AnyKeyPath { \Shelf<String>.items[index] }
        #expect(element(1) == \Shelf<String>.items[1] && element(1).hashValue == (\Shelf<String>.items[1]).hashValue)
        #expect(element(1) != element(2))
    }

    @Test(
        "`\\Sub.x` equals `\\Base.x` once the same key path is put before both, one of them with a wrong type",
        .reliedOn(
            by: "KeyValue/ObservedKeyPath.swift",
            instead: "two observations, of which the one with the class that inherits the property is 8 times slower"))
    func spellings() {
        struct Holder<Root> { let root: Root }
        func areSpellings<Root, Value>(_ mine: KeyPath<Root, Value>, _ other: AnyKeyPath) -> Bool {
            let step: KeyPath<Holder<Root>, Root> = \.root
            return step.appending(path: mine) == step.appending(path: Self.punned(other, as: KeyPath<Root, Value>.self))
        }
        #expect(\LiveSong.title as AnyKeyPath != \Song.title)
        #expect(areSpellings(\LiveSong.title, \Song.title) && areSpellings(\Song.title, \LiveSong.title))
        #expect(areSpellings(\SongShelf<Bool>.items, \Shelf<Song>.items))
        #expect(areSpellings(\LiveSong.title.count, \Song.title.count))
        #expect(!areSpellings(\LiveSong.title, \LiveSong.place))
        #expect(!areSpellings(\LiveSong.title, \Song.title.description))
    }

    @Test(
        "A key path that begins with a superclass can be appended to one that ends with a subclass, if its type is exchanged",
        .reliedOn(by: "KeyValue/Paths/AnyKeyPath+Components.swift", instead: "an evaluation of the whole path"))
    func inheritedHop() {
        let first = \Node.song
        #expect(first.appending(path: Self.punned(\Song.title, as: KeyPath<LiveSong, String>.self)) == \Node.song.title)
        #expect(first.appending(path: Self.punned(\Song.title, as: KeyPath<LiveSong, String>.self)) != \Node.song.place)
    }

    @Test(
        "`_openExistential` opens the type that a metatype holds",
        .reliedOn(
            by: "KeyValue/ObservedKeyPath.swift, KeyValue/KeyValueEvent.swift and others",
            instead: "implicitly opened existentials"))
    func openedMetatype() {
        func name<Opened>(_ type: Opened.Type) -> String { "\(Opened.self)" }
        #expect(_openExistential(type(of: \Song.title as AnyKeyPath).rootType, do: name) == "Song")
        #expect(_openExistential(type(of: \Song.title as AnyKeyPath).valueType, do: name) == "String")
    }

    private final class Pair {
        let node = Node()
        var count = 1
    }

    @Test(
        "The description of a key path has the names of stored properties, and of no others; without reflection metadata it has none",
        .reliedOn(by: "KeyValue/Paths/AnyKeyPath+Components.swift", instead: "no warning about a property that no getter reports"))
    func namesInDescriptions() {
        let hasMetadata = !Mirror(reflecting: Pair()).children.isEmpty
        let (count, number, next) = ("\(\Pair.count)", "\(\Pair.node.number)", "\(\Pair.node.next?.next?.song)")
        #expect((count == "\\Pair.count") == hasMetadata)
        #expect(number.hasPrefix("\\Pair.node.<computed ") == hasMetadata)
        #expect(!number.contains("number") && !next.contains("next") && !next.contains("song"))
    }

    /// Uses a key path as one of another type; only for comparisons, as in the library.
    private static func punned<Other: AnyKeyPath>(_ keyPath: AnyKeyPath, as type: Other.Type) -> Other {
        // SAFETY: `appending(path:)` copies the components of the key path. Nothing reads an object through it.
        unsafe Unmanaged<Other>.fromOpaque(Unmanaged.passUnretained(keyPath).toOpaque()).takeUnretainedValue()
    }
}
