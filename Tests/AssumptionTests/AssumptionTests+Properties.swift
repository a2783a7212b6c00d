import Testing

extension AssumptionTests {
    @Test(
        "A property wrapper's `_enclosingInstance` subscript is called for each read, write and access in place",
        .reliedOn(by: "KeyValue/Property/Observed.swift, AtomicObserved.swift and WeakObserved.swift", instead: "an attached macro"))
    func enclosingInstance() {
        func check(_ song: Song) {
            _ = song.title
            #expect(song.probe.takeCalls() == ["get"])
            song.title = "Aria"
            #expect(song.probe.takeCalls() == ["set"])
            song.title += "!"
            #expect(song.probe.takeCalls() == ["modify", "end of modify"])
            song[keyPath: \.title] = "Air"
            #expect(song.probe.takeCalls() == ["set"])
            #expect(song.title == "Air")
        }
        check(Song())
        check(LiveSong())
        let shelf = Shelf(1)
        shelf.items.append(2)
        #expect(shelf.probe.takeCalls() == ["modify", "end of modify"])
    }

    @Test(
        "A property wrapper's key paths may be autoclosures, and the one to the storage may escape",
        .reliedOn(
            by: "KeyValue/Property/Observed.swift, AtomicObserved.swift and WeakObserved.swift",
            instead: "plain key paths, which cost 12 ns more for a write and 15 ns more for a read that nobody observes"))
    func autoclosures() {
        let song = Song()
        song.probe.formsKeyPaths = false
        song.title = "Aria"
        #expect(song.probe.wrapped == nil && song.probe.storage == nil)
        #expect(song.$title == "projected")
        #expect(song.probe.takeCalls() == ["set", "projected"])
        #expect(song.probe.later() == AnyHashable(Song.titleStorage))
    }

    @Test(
        "The key path that a property wrapper gets equals the one that a program writes",
        .reliedOn(by: "KeyValue/Paths/AccessRecorder.swift", instead: "an attached macro, which writes the key path itself"))
    func wrappedKeyPath() {
        let (song, live, shelf, marked) = (Song(), LiveSong(), Shelf(1), SongShelf<Bool>(true))
        func read<Owner: Probing, Value>(_ owner: Owner, _ keyPath: KeyPath<Owner, Value>) -> AnyKeyPath? {
            _ = owner[keyPath: keyPath]
            return owner.probe.wrapped
        }
        #expect(read(song, \.title) == \Song.title)
        #expect(read(song, \.rating) == \Song.rating)
        #expect(read(live, \.place) == \LiveSong.place)
        // The key path begins with the class that declares the property.
        #expect(read(live, \.title) == \Song.title)
        #expect(read(live, \.seconds) == \Song.seconds)
        #expect(read(shelf, \.items) == \Shelf<Int>.items)
        #expect(read(marked, \.items) == \Shelf<Song>.items)
        #expect(read(marked, \.mark) == \SongShelf<Bool>.mark)
        #expect(read(song, \.title)?.hashValue == (\Song.title).hashValue)
        #expect(read(song, \.title) != \Song.seconds)
        #expect(song.probe.storage == Song.titleStorage)
    }

    @Test(
        "The code after `yield` runs when the access in place throws",
        .reliedOn(by: "KeyValue/Property/Observed.swift, which notifies observers there", instead: "a `defer` before `yield`"))
    func endOfModify() {
        struct Failure: Error {}
        func fail(_ title: inout String) throws {
            title = "half"
            throw Failure()
        }
        let song = Song()
        #expect(throws: Failure.self) { try fail(&song.title) }
        #expect(song.probe.takeCalls() == ["modify", "end of modify"])
        #expect(song.title == "half")
    }

    @Test(
        "An access in place does not copy the value",
        .reliedOn(by: "KeyValue/Property/Observed.swift", instead: "nothing: `array.append(x)` would take time in proportion to the array"))
    func modifyInPlace() {
        let song = Song()
        song.tags.reserveCapacity(100)
        let before = Memory.elements(of: song.tags)
        for _ in 0..<10 { song.tags.append("a") }
        #expect(before != 0 && Memory.elements(of: song.tags) == before)
    }

    @Test(
        "A stored property has one address inside its object, which may be used after the access that found it",
        .reliedOn(
            by: "KeyValue/Property/Observed.swift and PropertyChange.swift",
            instead: "a write through the key path of the storage, which keeps an exclusivity check in every write of the module"))
    func storedPropertyHasAddress() {
        func check(_ song: Song) {
            var places: Set<UInt> = []
            song.title = "Air"
            places.insert(song.probe.place)
            song.seconds = 1
            places.insert(song.probe.place)
            song.rating = 1
            places.insert(song.probe.place)
            song.tags = []
            let place = song.probe.place
            places.insert(place)
            #expect(places.count == 4)
            #expect(places.allSatisfy { Memory.contains($0, in: song) })
            song.tags.append("a")
            #expect(song.probe.place == place)
            // SAFETY: `place` is the address of `tags` in `song`, which this function retains. No access is in progress.
            let stored = unsafe UnsafeMutablePointer<[String]>(bitPattern: place)
            #expect(unsafe stored?.pointee == ["a"])
            for tag in ["b", "c"] {
                unsafe stored?.pointee = [tag]
                #expect(song.tags == [tag])
            }
        }
        check(Song())
        check(LiveSong())
    }

    @Test(
        "`swift_beginAccess` refuses a read during a change, and needs no end if its flags are 0 or 1",
        .reliedOn(
            by: "KeyValue/Property/PropertyChange.swift",
            instead: "an edit of a collection through its property, which takes 5 times as many instructions"))
    func beginAccess() async {
        let song = Song()
        song.tags = []
        let place = song.probe.place
        for _ in 0..<2 {
            #expect(Memory.beginAccess(place, isChange: false))
            #expect(Memory.beginAccess(place, isChange: true))
        }
        song.tags.append("a")
        #expect(song.tags == ["a"])
        // Elsewhere a test cannot begin another process.
        #if os(macOS) || os(Linux) || os(FreeBSD) || os(Windows)
            let refusals = await [
                #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { Memory.accessDuringChange(isChange: false) },
                #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { Memory.accessDuringChange(isChange: true) },
            ]
            for refusal in refusals {
                let text = String(decoding: refusal?.standardErrorContent ?? [], as: UTF8.self)
                #expect(text.contains("imultaneous accesses"))
            }
        #endif
    }
}
