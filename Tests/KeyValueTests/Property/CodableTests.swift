import Foundation
import SafeKVO
import SafeKVOTesting
import Testing

/// Coding of objects with observed properties: a coder sees what it sees of plain properties.
@Suite struct CodableTests {
    final class Album: KeyValueObject, Codable {
        @Observed var title = "Suites"
        @Observed var year: Int?
        @Observed var released: Date?
        @Observed var tracks: [Track] = []
        @AtomicObserved var plays = 0
        @AtomicObserved var note: String?
    }

    /// The same with plain properties.
    final class PlainAlbum: Codable {
        var title = "Suites"
        var year: Int?
        var released: Date?
        var tracks: [Track] = []
        var plays = 0
        var note: String?
    }

    /// It stores a registrar, which its coding keys leave out.
    final class Track: KeyValueObservable, Codable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var name: String
        @Observed var seconds: Int?

        init(_ name: String) { self.name = name }

        private enum CodingKeys: String, CodingKey { case name, seconds }
    }

    class Shape: KeyValueObject, Codable {
        @Observed var sides = 3
    }
    final class Painted: Shape {
        @Observed var colour: String? = "red"

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            try super.init(from: decoder)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            _colour = try container.decode(Observed<String?>.self, forKey: .colour)
        }

        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(_colour, forKey: .colour)
        }

        private enum CodingKeys: String, CodingKey { case colour }
    }

    private let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }()
    private let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }()

    private func text(_ value: some Encodable) throws -> String { String(decoding: try encoder.encode(value), as: UTF8.self) }

    private func decode<Value: Decodable>(_ type: Value.Type = Value.self, _ text: String) throws -> Value {
        try decoder.decode(type, from: Data(text.utf8))
    }

    @Test("What is encoded is what a class with plain properties encodes, nil and all")
    func theEncodedFormIsThatOfPlainProperties() throws {
        let (album, plain) = (Album(), PlainAlbum())
        #expect(try text(album) == text(plain))
        #expect(try text(album) == #"{"plays":0,"title":"Suites","tracks":[]}"#)
        for (year, note) in [(1720, "slow"), (nil, "none"), (1, nil)] as [(Int?, String?)] {
            (album.year, plain.year) = (year, year)
            (album.note, plain.note) = (note, note)
            (album.released, plain.released) = (Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 0))
            album.tracks.append(Track("Gigue"))
            plain.tracks.append(Track("Gigue"))
            album.plays += 1
            plain.plays += 1
            #expect(try text(album) == text(plain))
        }
        #expect(try text(album).contains(#""released":"1970-01-01T00:00:00Z""#))
    }

    @Test("A class comes back from its encoded form with every value")
    func aClassComesBack() throws {
        let album = Album()
        (album.title, album.year, album.released, album.plays, album.note) = ("Partitas", 1726, Date(timeIntervalSince1970: 60), 7, "fast")
        album.tracks = [Track("Sinfonia")]
        album.tracks[0].seconds = 260
        let copy = try decode(Album.self, text(album))
        #expect((copy.title, copy.year, copy.plays, copy.note) == ("Partitas", 1726, 7, "fast"))
        #expect(copy.released == Date(timeIntervalSince1970: 60))
        #expect(copy.tracks.map(\.name) == ["Sinfonia"] && copy.tracks.map(\.seconds) == [260])
        #expect(try text(copy) == text(album))
        #expect(try decode(PlainAlbum.self, text(album)).tracks.map(\.seconds) == [260])
    }

    @Test("An optional property is nil if its key is absent, and if its value is null", arguments: ["", #","year":null,"note":null"#])
    func anAbsentOptionalIsNil(rest: String) throws {
        let album = try decode(Album.self, #"{"title":"a","tracks":[],"plays":1\#(rest)}"#)
        #expect((album.title, album.year, album.released, album.plays, album.note) == ("a", nil, nil, 1, nil))
    }

    @Test("A property that is not optional must be there, and the error names its key", arguments: ["title", "plays"])
    func anAbsentPropertyIsAnError(key: String) throws {
        let all = ["title": #""a""#, "tracks": "[]", "plays": "1"].filter { $0.key != key }
        let members = all.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
        #expect {
            try decode(Album.self, "{\(members.joined(separator: ","))}")
        } throws: { error in
            guard case DecodingError.keyNotFound(let missing, _) = error else { return false }
            return missing.stringValue == key
        }
        #expect(throws: DecodingError.self) { try decode(Album.self, #"{"title":1,"tracks":[],"plays":1}"#) }
    }

    @Test("Wrappers are coded by hand in a class that overrides the coding of its superclass")
    func wrappersAreCodedByHand() throws {
        let painted = Painted()
        #expect(try text(painted) == #"{"colour":"red","sides":3}"#)
        painted.colour = nil
        painted.sides = 4
        #expect(try text(painted) == #"{"sides":4}"#)
        let copy = try decode(Painted.self, text(painted))
        #expect(copy.sides == 4 && copy.colour == nil)
        #expect(try decode(Painted.self, #"{"colour":"blue","sides":5}"#).colour == "blue")
    }

    @Test("A wrapper is coded alone, as its value")
    func aWrapperIsCodedAlone() throws {
        #expect(try text([Observed(wrappedValue: 1), Observed(wrappedValue: 2)]) == "[1,2]")
        #expect(try text([AtomicObserved(wrappedValue: 1 as Int?), AtomicObserved(wrappedValue: nil)]) == "[1,null]")
        let wrappers = try decode([AtomicObserved<Int?>].self, "[1,null]")
        #expect(try text(wrappers) == "[1,null]")
    }

    final class Observer {}

    @MainActor @Test("An object that was decoded is observed like any other, and encoded while it is observed")
    func aDecodedObjectIsObserved() throws {
        let (observer, log) = (Observer(), EventLog<String>())
        let observations = ObservationController(observer: observer)
        let album = try decode(Album.self, #"{"title":"a","tracks":[],"plays":1}"#)
        observations.observe(album, \.title) { _, title in log.append("title \(title)") }
        observations.observe(album, \.note) { [self] _, note in
            log.append("note \(note ?? "none"), \((try? text(album)) ?? "no text")")
        }
        album.title = "b"
        album.note = "x"
        try log.expect([
            "title a", #"note none, {"plays":1,"title":"a","tracks":[]}"#, "title b",
            #"note x, {"note":"x","plays":1,"title":"b","tracks":[]}"#,
        ])
    }
}
