import CSafeKVO
import Synchronization
import Testing

extension AssumptionTests {
    @Test(
        "A blank object of `swift_initStackObject` gives each property the same offset as a real object",
        .reliedOn(
            by: "KeyValue/Property/PropertyAccess.swift",
            instead: "the key path of the property, which makes a computed key 12 percent slower, or 8 times in a generic class"))
    func blankObject() {
        func check<Owner: AnyObject, Value>(_ owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Probed<Value>>) {
            func value(_ owner: Owner) -> UInt { Probed.place(in: owner) { storage } }
            func wrapper(_ owner: Owner) -> UInt {
                // SAFETY: this takes only the address of the property.
                unsafe withUnsafeMutablePointer(to: &owner[keyPath: storage]) { UInt(bitPattern: $0) }
            }
            let start = Memory.address(of: owner)
            #expect(Memory.blankOffset(in: owner, value) == value(owner) - start)
            #expect(Memory.blankOffset(in: owner, wrapper) == wrapper(owner) - start)
        }
        check(Song(), Song.titleStorage)
        check(Song(), Song.ratingStorage)
        check(LiveSong(), LiveSong.placeStorage)
        check(LiveSong(), Song.titleStorage)
        check(Shelf<UInt8>(1), Shelf<UInt8>.lastStorage)
        check(Shelf("a"), Shelf<String>.lastStorage)
        check(SongShelf<UInt8>(1), SongShelf<UInt8>.markStorage)
        check(SongShelf<UInt8>(1), Shelf<Song>.lastStorage)
    }

    @Test(
        "A class reference is the address of metadata from which the runtime knows the size of an object",
        .reliedOn(
            by: "Delivery/ObserverList/ObserverRegistrar.swift and KeyValue/Property/PropertyAccess.swift",
            instead:
                "`class_getInstanceSize` on Apple's platforms. Elsewhere a registrar of another object would be refused only when observed")
    )
    func instanceSize() {
        class Two { var first = 1, second = 2 }
        final class Three: Two { var third = 3 }
        final class Held<Value> {
            let value: Value
            init(_ value: Value) { self.value = value }
        }
        let header = 2 * MemoryLayout<UInt>.size
        #expect(Memory.instanceSize(of: Two.self) == header + 2 * MemoryLayout<Int>.size)
        #expect(Memory.instanceSize(of: Three.self) == header + 3 * MemoryLayout<Int>.size)
        #expect(Memory.instanceSize(of: Held<Int>.self) == header + MemoryLayout<Int>.size)
        #expect(Memory.instanceSize(of: Held<String>.self) == header + MemoryLayout<String>.size)
    }

    @Test(
        "A registrar, or a cell, that an object stores has one address inside the object",
        .reliedOn(
            by: "Delivery/ObserverList/ObserverRegistrar.swift and Delivery/Lock.swift", instead: "a registrar and a lock that are objects")
    )
    func storedPlaces() {
        struct Registrar: ~Copyable {
            let word = Atomic<UInt>(0)
            let cell = _Cell(7)
        }
        class Two {
            let first = "a"
            let registrar = Registrar()
        }
        final class Three: Two { let third = "c" }
        func place(in object: Two) -> UInt {
            // SAFETY: the address is only compared.
            unsafe withUnsafePointer(to: object.registrar.word) { UInt(bitPattern: $0) }
        }
        for object in [Two(), Three()] {
            #expect(Memory.contains(place(in: object), in: object))
            #expect(place(in: object) == place(in: object))
            // SAFETY: the object is alive, and only this thread uses the cell.
            let cell = unsafe object.registrar.cell._address
            unsafe cell.pointee += 1
            #expect(unsafe object.registrar.cell._address == cell && cell.pointee == 8)
            #expect(Memory.contains(UInt(bitPattern: cell), in: object))
        }
        #expect(!Memory.contains(place(in: Two()), in: Three()))
    }

    @Test(
        "An optional `ObjectIdentifier`, an `Unmanaged` and a variable of a class type hold the address of the object, or zero",
        .reliedOn(by: "Delivery/Unretained.swift", instead: "`Unmanaged` everywhere, which retains more often"))
    func objectWords() {
        let song = Song()
        let word = Memory.address(of: song)
        // SAFETY: the casts are the assumption. `withExtendedLifetime` keeps the object.
        withExtendedLifetime(song) {
            #expect(unsafe unsafeBitCast(word, to: ObjectIdentifier?.self) == ObjectIdentifier(song))
            #expect(unsafe unsafeBitCast(UInt(0), to: ObjectIdentifier?.self) == nil)
            #expect(unsafe unsafeBitCast(ObjectIdentifier(song), to: Unmanaged<Song>.self).takeUnretainedValue() === song)
            #expect(Memory.word(of: song) == word && Memory.word(of: song as Song?) == word && Memory.word(of: song as AnyObject) == word)
        }
    }

    @Test(
        "An array, a set, a dictionary or an object is one word, which differs from that of any other value that is not empty",
        .reliedOn(
            by: "KeyValue/SameBytes.swift, by which kinds and indexes pass through a key path (rule 18)",
            instead: "a setting whenever a key path is no chain"))
    func referenceWords() {
        func check<Value>(_ first: Value, _ second: Value) {
            let copy = first
            #expect(MemoryLayout<Value>.size == MemoryLayout<UInt>.size && !_isPOD(Value.self))
            #expect(Memory.word(of: first) != 0 && Memory.word(of: copy) == Memory.word(of: first))
            // Both values are alive. They may be equal and yet be two.
            withExtendedLifetime((first, second)) { #expect(Memory.word(of: first) != Memory.word(of: second)) }
        }
        func array(_ count: Int) -> [Int] { Array(0..<count) }
        check(array(3), array(3))
        check(Optional(array(3)), Optional(array(3)))
        check(Set(array(3)), Set(array(3)))
        check(Dictionary(grouping: array(3)) { $0 }, Dictionary(grouping: array(3)) { $0 })
        check(Song(), Song())
        let original = array(3)
        var edited = original
        edited[0] = 7
        #expect(Memory.word(of: edited) != Memory.word(of: original))
    }

    @Test(
        "The first field of a structure lies at the structure's address, whatever the type of the others",
        .reliedOn(by: "Delivery/Event/EventBox.swift", instead: "a class for events, or two pointers in each delivery"))
    func firstField() {
        struct Header: Equatable {
            let subject: UInt
            var number: UInt64
            var isPrior: Bool
        }
        struct Event<Value> {
            var header: Header
            var new: Value?
            var old: Value?
        }
        @safe struct View<Value> {
            // SAFETY: a view is used only inside the closure that gets the pointer.
            let pointer: UnsafePointer<Value>
            var pointee: Value { unsafeAddress { unsafe pointer } }
        }
        func check<Value>(_ value: Value) {
            var event = Event(header: Header(subject: 1, number: 2, isPrior: true), new: value, old: nil)
            #expect(MemoryLayout<Event<Value>>.offset(of: \.header) == 0)
            let expected = event.header
            // SAFETY: the view of the event as its header is the assumption. The pointers are used only inside the closures.
            unsafe withUnsafePointer(to: event) { pointer in
                let header = unsafe View(pointer: UnsafeRawPointer(pointer).assumingMemoryBound(to: Header.self))
                #expect(header.pointee == expected)
            }
            unsafe withUnsafeMutablePointer(to: &event) { pointer in
                unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Header.self).pointee.number = 3
            }
            #expect(event.header.number == 3)
        }
        check(UInt8(1))
        check("a")
        check((1, "a", 2.5))
        check(Song())
        check([1] as any Sequence)
        check(())
    }

    @Test(
        "Swift's reflection gives the name of the stored property at an offset, or nothing without reflection metadata",
        .reliedOn(by: "Delivery/Warnings/PropertyName.swift", instead: "types in messages, as in `<computed (Int)>`"))
    func propertyName() {
        func check<Owner: Probing, Value>(_ owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Probed<Value>>, _ name: String) {
            let hasMetadata = !Mirror(reflecting: Song()).children.isEmpty
            let offset = Probed.place(in: owner) { storage } - Memory.address(of: owner)
            #expect(Memory.propertyName(of: type(of: owner), at: offset) == (hasMetadata ? name : nil))
        }
        check(Song(), Song.titleStorage, "_title")
        check(Song(), Song.ratingStorage, "_rating")
        check(LiveSong(), LiveSong.placeStorage, "_place")
        check(LiveSong(), Song.titleStorage, "_title")
        check(Shelf(1), Shelf<Int>.lastStorage, "_last")
        check(SongShelf(true), SongShelf<Bool>.markStorage, "_mark")
        #expect(Memory.propertyName(of: Song.self, at: 1) == nil)
    }

    @Test(
        "`_isPOD` tells the types that hold no references",
        .reliedOn(
            by: "KeyValue/Paths/OldValue.swift and KeyValue/SameBytes.swift", instead: "treating every type as one that holds references"))
    func trivialTypes() {
        #expect(_isPOD(Int.self) && _isPOD((UInt8, Double?).self))
        #expect(!_isPOD(String.self) && !_isPOD([Int].self) && !_isPOD(Song?.self) && !_isPOD((any Probing).self))
    }
}
