import EnduranceKit
import Foundation
import SafeKVO
import SafeKVOEvents
import SafeKVOFoundation
import Synchronization

/// What all threads share for the whole run.
final class SharedWorld: Sendable {
    let meter = Meter()
    let signal = Signal<Int>()
    let center = MessageCenter()
    let queue = DispatchQueue(label: "soak")
    let mistakes = Mistakes()

    init() {
        center.setDecoder(MessageDecoder { TrackPlayed(track: $0.userInfo["track"] as? Int ?? 0) }, for: .trackPlayed)
    }
}

/// The wrong results that were found.
final class Mistakes: Sendable {
    private struct State {
        var count = 0
        var first: [String] = []
    }

    private let state = Mutex(State())

    func add(_ text: String) {
        state.withLock { state in
            state.count += 1
            if state.first.count < 20 { state.first.append(text) }
        }
    }

    var count: Int { state.withLock { $0.count } }
    var first: [String] { state.withLock { $0.first } }
}

/// What one thread uses: objects that live for the whole run, beside which others come and go.
final class World {
    var numbers: Numbers
    let shared: SharedWorld
    /// `true` on one thread, which switches what the whole process shares.
    let isFirst: Bool

    let song = Song()
    let viewer = Viewer()
    let listener = Listener()
    let signal = Signal<Int>()
    let center = MessageCenter()
    let foundation = NotificationCenter()
    let notifications: ObservableNotificationCenter
    let delegates = MulticastDelegate<any Player>()
    let thermometer = Thermometer()
    /// Controllers whose observers are deallocated.
    var orphans: [ObservationController<Viewer>] = []
    var orphansOfSignals: [ObservationController<Gauge>] = []
    var tokens: [ObservationToken] = []

    init(seed: UInt64, shared: SharedWorld, isFirst: Bool) {
        numbers = Numbers(seed: seed)
        self.shared = shared
        self.isFirst = isFirst
        notifications = ObservableNotificationCenter(foundation)
        center.setDecoder(MessageDecoder { TrackPlayed(track: $0.userInfo["track"] as? Int ?? 0) }, for: .trackPlayed)
        viewer.observations.observe(song, \.label) { viewer, _ in viewer.heard += 1 }
        viewer.observations.observe(song, \.album?.artist?.name) { viewer, _ in viewer.heard += 1 }
    }

    /// Notes a wrong result, unless the two values are equal.
    func expect<Value: Equatable>(_ value: Value, _ expected: Value, line: UInt = #line, file: StaticString = #fileID) {
        if value != expected { shared.mistakes.add("\(file):\(line): \(value) instead of \(expected)") }
    }
}

/// One use of the library, which leaves nothing behind.
struct Feature<Subject>: Sendable {
    let name: String
    let run: @Sendable (Subject) -> Void
}
