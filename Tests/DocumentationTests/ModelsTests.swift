import Foundation
import Observation
import SafeKVO
import SafeKVOTesting
import Testing

/// The examples of the article on what a model class may conform to.
@Suite @MainActor struct ModelsTests {
    // snippet: model-codable
    final class Album: KeyValueObject, Codable {
        @Observed var title = ""
        @Observed var year: Int?
    }

    final class Track: KeyValueObservable, Codable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var name = ""

        // Every property but the registrar.
        private enum CodingKeys: CodingKey { case name }
    }
    // end snippet

    // snippet: model-hashable
    final class City: KeyValueObservable, Hashable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var name = "Ulm"

        static func == (a: City, b: City) -> Bool { a.name == b.name }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }
    // end snippet

    // snippet: model-both
    final class Clock: KeyValueObservable, Observable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var hour = 0
        var isNight: Bool { hour < 6 }
    }
    // end snippet

    final class View {
        var lines: [String] = []
        private(set) lazy var observations = ObservationController(observer: self)
        func say(_ line: String) { lines.append(line) }
    }

    @Test("Article on models: they are encoded and decoded as if their properties were plain")
    func modelsAreCoded() throws {
        // snippet: model-coded
        let album = Album()
        album.title = "Suites"
        let data = try JSONEncoder().encode(album)  // {"title":"Suites"}
        let copy = try JSONDecoder().decode(Album.self, from: data)
        #expect(copy.title == "Suites" && copy.year == nil)
        // end snippet
        #expect(String(decoding: data, as: UTF8.self) == #"{"title":"Suites"}"#)
        let track = try JSONDecoder().decode(Track.self, from: Data(#"{"name":"Gigue"}"#.utf8))
        #expect(track.name == "Gigue")
    }

    @Test("Article on models: equal objects are observed apart")
    func equalObjectsAreObservedApart() {
        let view = View()
        // snippet: model-equal
        let (here, there) = (City(), City())  // here == there
        view.observations.observe(here, \.name) { view, name in
            view.say(name)
        }  // view.lines is ["Ulm"]
        there.name = "Bonn"  // nobody observes that object
        here.name = "Kiel"  // view.lines is ["Ulm", "Kiel"]
        // end snippet
        #expect(view.lines == ["Ulm", "Kiel"])
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test("Article on models: one class for both worlds")
    func oneClassForBothWorlds() async {
        let (clock, view) = (Clock(), View())
        // snippet: model-observed
        view.observations.observe(clock, \.hour) { view, hour in
            view.say("hour \(hour)")
        }  // hour 0
        withObservationTracking {
            _ = clock.isNight
        } onChange: {
            print("isNight may change")  // once, before `hour` changes
        }
        clock.hour = 7  // hour 7
        // The present value, then the next ones.
        for await hour in Observations({ clock.hour }) {
            view.say("sequence \(hour)")  // sequence 7
            break
        }
        // end snippet
        #expect(view.lines == ["hour 0", "hour 7", "sequence 7"])
    }

    // snippet: model-shared
    final class Download: KeyValueObservable, Sendable {
        let keyValueRegistrar = KeyValueRegistrar()
        let name = ObservedValue("")
        let progress = ObservedValue(0.0)
        var summary: String { "\(name.value) \(progress.value)" }
    }
    // end snippet

    @MainActor final class Bar {
        var width = 0.0
        var text = ""
        private(set) lazy var observations = ObservationController(observer: self)
    }

    @Test("Article on models: values that threads share")
    func valuesAreShared() async {
        let (download, bar) = (Download(), Bar())
        let observations = bar.observations
        // snippet: model-shared-use
        observations.observe(download, \.summary) { bar, summary in
            bar.text = summary
        }
        observations.observe(download.progress, \.value) { bar, progress in
            bar.width = progress
        }
        await Task.detached {
            download.progress.value = 0.25
            download.progress.update { $0 += 0.5 }
        }.value
        // A moment later, bar.width is 0.75 and bar.text is " 0.75".
        // end snippet
        for _ in 0..<1_000_000 where bar.width != 0.75 || bar.text != " 0.75" { await Task.yield() }
        #expect(bar.width == 0.75)
        #expect(bar.text == " 0.75")
    }

    // snippet: model-atomic
    // Safe, because every stored property is atomic.
    final class Tag: KeyValueObject, Codable, @unchecked Sendable {
        @AtomicObserved var name = ""
        @AtomicObserved var uses = 0

        func use() { $uses.update { $0 += 1 } }
    }
    // end snippet

    @Test("Article on models: a class with atomic properties is coded, and loses no update")
    func aClassOfAtomicProperties() async throws {
        let tag = try JSONDecoder().decode(Tag.self, from: Data(#"{"name":"Aria","uses":2}"#.utf8))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<1000 { tag.use() } }
            }
        }
        #expect(tag.name == "Aria" && tag.uses == 4002)
    }

    // snippet: model-manual
    final class Note: KeyValueObservable, Codable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var title = ""
        enum CodingKeys: CodingKey { case title }
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            _title = try container.decode(Observed<String>.self, forKey: .title)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(_title, forKey: .title)
        }
    }
    // end snippet

    @Test("Article on models: a class that codes manually")
    func manualCoding() throws {
        let note = Note()
        note.title = "Ulm"
        let copy = try JSONDecoder().decode(Note.self, from: JSONEncoder().encode(note))
        #expect(copy.title == "Ulm")
    }
}
