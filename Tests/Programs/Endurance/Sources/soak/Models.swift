import Observation
import SafeKVO
import SafeKVOEvents
import Synchronization

/// An observed object of one thread.
final class Song: KeyValueObject {
    private let life = Life()
    @Observed var title = "Aria"
    @Observed var rating = 0
    @Observed var marks: [Int] = []
    @Observed var genres: Set<Int> = []
    @Observed var album: Album?
    @Observed var next: Song?
    var label: String { "\(title) \(rating)" }
    var rank: Int { rating * 2 + (album?.year ?? 0) }

    /// An object that observes itself.
    private(set) lazy var own = ObservationController(observer: self)
    private(set) lazy var ownNotRetaining = ObservationController(observer: self, retainsObserved: false)
}

/// An observed object in the middle of a key path.
final class Album: KeyValueObject {
    private let life = Life()
    @Observed var year = 1741
    @Observed var artist: Artist?
}

/// An observed object at the end of a key path.
final class Artist: KeyValueObject {
    private let life = Life()
    @Observed var name = "Bach"
}

/// An observed object whose changes the program announces.
final class Diary: KeyValueObject {
    private let life = Life()
    var entries: [Int] = []
    var pages = 0
}

/// An observed object that threads share.
final class Meter: KeyValueObject, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) All changing properties are `@AtomicObserved`.
    private let life = Life()
    @AtomicObserved var level = 0
    @AtomicObserved var limit = 100
    @AtomicObserved var samples: [Int] = []
    var isOver: Bool { level > limit }
}

/// An observer of one thread.
final class Viewer {
    private let life = Life()
    var calls = 0
    var heard = 0
    private(set) lazy var observations = ObservationController(observer: self)
    private(set) lazy var notRetaining = ObservationController(observer: self, retainsObserved: false)

    func note() { calls += 1 }
    func noteChange(_ change: KeyValueChange<Int>) { calls += 1 }
}

/// An observer of one thread whose controllers the library makes.
final class Reader: AutomaticObserver, KeyValueObserver {
    enum Context { case title, rating }

    let observationSlot = ObservationSlot()
    private let life = Life()
    var calls = 0

    func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Context) { calls += 1 }
}

/// An observer that threads share.
final class Gauge: Sendable {
    private let life = Life()
    let calls = Atomic<Int>(0)

    func note(_ amount: Int = 1) { calls.wrappingAdd(amount, ordering: .relaxed) }
}

/// An observer of signals and messages, with controllers that one thread uses.
final class Listener {
    let gauge = Gauge()
    private(set) lazy var observations = ObservationController(observer: gauge)
    private(set) lazy var notRetaining = ObservationController(observer: gauge, retainsObserved: false)
    var calls: Int { gauge.calls.load(ordering: .relaxed) }
}

/// An observing actor, which also owns an observed object.
actor Station {
    private let life = Life()
    private let song = Song()
    private(set) var heard = 0
    private lazy var observations = ObservationController(observer: self)

    func note(_ value: Int) { heard += 1 }

    func follow(_ meter: Meter, times: Int) {
        observations.observe(meter, \.level, tag: "shared", on: .observer { station, level in station.note(level) })
        observations.observe(song, \.rating, initial: false) { station, rating in station.note(rating) }
        for rating in 1...times { song.rating = rating }
    }

    func stop() { observations.unobserveAll() }

    func poll(_ clock: some Clock<Duration>) {
        observations.poll(song, \.rating, every: .milliseconds(1), clock: clock) { station, rating in
            station.assumeIsolated { $0.note(rating) }
        }
    }

    func rate(_ rating: Int) { song.rating = rating }
}

/// An object that Swift's Observation tracks.
@Observable @MainActor final class Counter {
    @ObservationIgnored private let life = Life()
    var count = 0
    var text: String { "\(count)" }
}

/// An observed object on the main actor, which Swift's Observation tracks, too.
@MainActor final class Model: KeyValueObservable, Observable {
    let keyValueRegistrar = KeyValueRegistrar()
    private let life = Life()
    @Observed var count = 0
    var isHigh: Bool { count > 10 }
}

/// An observer on the main actor.
@MainActor final class Label {
    private let life = Life()
    var calls = 0
    var text = ""
    private(set) lazy var observations = ObservationController(observer: self)

    func note() { calls += 1 }
}

/// A global actor that is not the main actor.
@globalActor actor Archive {
    static let shared = Archive()
}

/// A subject of the observer pattern.
final class Thermometer: ObservableSubject {
    let eventRegistrar = EventRegistrar<Void>()
    private let life = Life()
}

/// An observer of the observer pattern.
final class Display: SubjectObserver {
    private let life = Life()
    var calls = 0

    func update(_ subject: Thermometer) { calls += 1 }
}

/// A protocol of callbacks.
protocol Player: AnyObject {
    func didPlay(_ track: Int)
}

/// A receiver of callbacks.
final class Speaker: Player {
    private let life = Life()
    var calls = 0

    func didPlay(_ track: Int) { calls += 1 }
}

/// A message with a type.
struct TrackPlayed: Message, Sendable {
    let track: Int
}

extension MessageName {
    static let trackPlayed: MessageName = "trackPlayed"
}
