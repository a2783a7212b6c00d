import Observation
import SafeKVO
import SafeKVOTesting
import Synchronization
import Testing

/// The examples of the article on models, of views.
@Suite struct ModelsViewsTests {
    @MainActor final class WallClock: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var hour = 0
    }

    // snippet: view-model
    @MainActor @Observable final class ClockModel {
        private(set) var hour = 0
        @ObservationIgnored
        private lazy var observations = ObservationController(observer: self)

        func show(_ clock: WallClock) {
            observations.unobserveAll()
            observations.observe(clock, \.hour) { model, hour in
                if model.hour != hour { model.hour = hour }  // else no refresh
            }
        }
    }
    // end snippet

    @Test("Article on models: a change of an observed property refreshes what reads the model")
    @MainActor func aModelRefreshes() {
        let (clock, model) = (WallClock(), ClockModel())
        model.show(clock)
        let refreshes = Atomic(0)
        func render() -> Int {
            withObservationTracking {
                model.hour
            } onChange: {
                refreshes.wrappingAdd(1, ordering: .relaxed)
            }
        }
        #expect(render() == 0)
        clock.hour = 5
        #expect(refreshes.load(ordering: .relaxed) == 1)
        #expect(render() == 5)
        clock.hour = 5
        #expect(refreshes.load(ordering: .relaxed) == 1)
    }

    @Test("Article on models: an observed property alone refreshes nothing")
    @MainActor func anObservedPropertyDoesNot() {
        let clock = WallClock()
        let refreshes = Atomic(0)
        _ = withObservationTracking {
            clock.hour
        } onChange: {
            refreshes.wrappingAdd(1, ordering: .relaxed)
        }
        clock.hour = 5
        #expect(refreshes.load(ordering: .relaxed) == 0)
    }

    /// A stand-in for UIKit.
    class NSCoder {}

    @MainActor class UIViewController {
        init(nibName: String?, bundle: AnyObject?) {}
        required init?(coder: NSCoder) {}
        func viewWillAppear(_ animated: Bool) {}
        func viewDidDisappear(_ animated: Bool) {}
    }

    @MainActor final class UILabel {
        var text: String?
    }

    // snippet: view-controller
    final class ClockViewController: UIViewController {
        let clock: WallClock
        let label = UILabel()
        private lazy var observations = ObservationController(observer: self)

        init(clock: WallClock) {
            self.clock = clock
            super.init(nibName: nil, bundle: nil)
        }

        required init?(coder: NSCoder) { nil }

        override func viewWillAppear(_ animated: Bool) {
            super.viewWillAppear(animated)
            observations.observe(clock, \.hour) { controller, hour in
                controller.label.text = "\(hour)"
            }
        }

        override func viewDidDisappear(_ animated: Bool) {
            super.viewDidDisappear(animated)
            observations.unobserve(clock)
        }
    }
    // end snippet

    @Test("A view controller observes while it is visible, and is deallocated with nothing to remove")
    @MainActor func aViewControllerObservesWhileItIsVisible() throws {
        let tracker = LifetimeTracker()
        let clock = WallClock()
        do {
            let controller = tracker.track(ClockViewController(clock: clock))
            controller.viewWillAppear(false)
            clock.hour = 13
            #expect(controller.label.text == "13")
            controller.viewDidDisappear(false)
            clock.hour = 14
            #expect(controller.label.text == "13")
            controller.viewWillAppear(false)
            #expect(controller.label.text == "14")
        }
        try tracker.expectAllGone()
    }

    /// A stand-in for SwiftUI.
    @MainActor protocol View {
        associatedtype Body: View
        var body: Body { get }
    }

    struct Text: View {
        nonisolated let text: String
        nonisolated init(_ text: String) { self.text = text }
        var body: Text { self }
    }

    // snippet: swiftui-view
    @MainActor final class SharedClock: KeyValueObservable, Observable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var hour = 12
        var isNight: Bool { hour < 6 }
    }

    struct ClockFace: View {
        let clock: SharedClock
        var body: some View {
            Text(clock.isNight ? "night" : "hour \(clock.hour)")
        }
    }
    // end snippet

    @Test("A body that reads observed properties of a class that is observable in both ways is asked again")
    @MainActor func aBodyIsAskedAgain() {
        let (clock, log) = (SharedClock(), Log())
        let face = ClockFace(clock: clock)
        log.observations.observe(clock, \.hour, initial: false) { log, hour in log.lines.append("\(hour)") }
        let isAsked = EventLog<String>()
        let text = withObservationTracking {
            (face.body as? Text)?.text
        } onChange: {
            isAsked.append("changed")
        }
        #expect(text == "hour 12")
        clock.hour = 3
        #expect(isAsked.removeAll() == ["changed"])
        #expect((face.body as? Text)?.text == "night")
        #expect(log.lines == ["3"])
    }
}
