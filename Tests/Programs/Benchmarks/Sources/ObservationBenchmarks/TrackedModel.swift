import BenchmarkKit
import Observation

/// A subject as Swift's Observation has it.
@Observable
final class TrackedModel {
    var first = 0
    var second = 0
    var third = 0
    var fourth = 0
    var fifth = 0

    var sum: Int { first &+ second }

    /// Those whose tracking ended with the last change and has to begin again.
    @ObservationIgnored var trackings: [Tracking] = []

    init(_: Void) {}

    /// Tracks what a function reads, and adds it up at each change.
    func track(_ view: PeerView, _ read: @escaping () -> Int) -> Tracking {
        let tracking = Tracking(view, read)
        tracking.begin()
        trackings.append(tracking)
        return tracking
    }
}

extension TrackedModel: PeerModel {
    @inline(never)
    static func make(_: Void) -> TrackedModel { TrackedModel(()) }

    @inline(never)
    func assign(_ value: Int) { first = value }

    @inline(never)
    func read() -> Int {
        fence()
        return first
    }

    @inline(never)
    func set(passes: Int) -> Int {
        for pass in 0..<passes {
            assign(pass)
            fence()
            for tracking in trackings { tracking.beginAgain() }
        }
        return passes
    }

    func observe(_ view: PeerView) -> Tracking { track(view) { [unowned self] in first } }

    func observeSecond(_ view: PeerView) -> Tracking { track(view) { [unowned self] in second } }
}
