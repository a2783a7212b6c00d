import Observation
import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import Testing

/// Examples of the articles on key paths, on limits, and on coming from Combine and from NotificationCenter.
@Suite struct RecipeTests {
    final class Log {
        lazy var observations = ObservationController(observer: self)
        var lines: [String] = []
    }

    // MARK: Elements and protocols

    // snippet: elements
    final class Item: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var price: Int
        init(_ price: Int) { self.price = price }
    }

    final class Cart: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var items: [Item] = []
        var total: Int { items.reduce(0) { $0 + $1.price } }
    }
    // end snippet

    @Test("A value that is computed of the elements of an array follows elements that come, change and go")
    func elementsAreFollowed() {
        let (cart, log) = (Cart(), Log())
        let (pen, book) = (Item(2), Item(10))
        log.observations.observe(cart, \.total) { log, total in log.lines.append("\(total)") }
        cart.items.append(pen)
        cart.items.append(book)
        book.price = 12
        cart.items.removeFirst()
        pen.price = 3
        cart.items = []
        book.price = 1
        #expect(log.lines == ["0", "2", "12", "14", "12", "0"])
    }

    // snippet: any-protocol
    protocol Priced: KeyValueObservable {
        var price: Int { get }
    }

    final class PriceTag {
        private lazy var observations = ObservationController(observer: self)
        private(set) var text = ""

        // Swift opens the existential for the generic function.
        func show(_ item: any Priced) { watch(item) }

        private func watch(_ item: some Priced) {
            observations.unobserveAll()
            observations.observe(item, \.price) { tag, price in
                tag.text = "\(price) €"
            }
        }
    }
    // end snippet

    final class Ticket: KeyValueObject, Priced {
        @Observed var price = 40
    }

    @Test("An object that is known by its protocol is observed through a generic function")
    func objectsOfAProtocolAreObserved() {
        let (ticket, tag) = (Ticket(), PriceTag())
        tag.show(ticket)
        #expect(tag.text == "40 €")
        ticket.price = 45
        #expect(tag.text == "45 €")
    }

    // MARK: didSet

    // snippet: clamp
    final class Slider: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed private var storedPosition = 0.0
        var position: Double {
            get { storedPosition }
            set { storedPosition = min(max(newValue, 0), 1) }
        }
    }
    // end snippet

    final class LateSlider: KeyValueObject {
        var order: [String] = []
        @Observed var position = 0.0 {
            didSet {
                order.append("didSet")
                if position > 1 { position = 1 }
            }
        }
    }

    @Test("Observers are told before the property's own didSet; a computed property clamps before they are told")
    func clampsBelongInAComputedProperty() {
        let (slider, log) = (Slider(), Log())
        let observations = log.observations
        // snippet: clamp-use
        observations.observe(slider, \.position) { log, position in
            log.lines.append("\(position)")
        }
        slider.position = 7  // log.lines is ["0.0", "1.0"]
        // end snippet
        #expect(log.lines == ["0.0", "1.0"])
        #expect(slider.position == 1)

        let late = LateSlider()
        log.lines = []
        log.observations.observe(late, \.position, initial: false) { [unowned late] _, position in
            late.order.append("told \(position)")
        }
        late.position = 7
        #expect(late.order.first == "told 7.0")
        #expect(late.order.contains("told 1.0"))
        #expect(late.position == 1)
    }

    // MARK: A view controller

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

    @MainActor final class WallClock: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var hour = 12
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

    // MARK: A SwiftUI view

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

    // MARK: From Combine

    // snippet: from-combine
    final class SearchModel: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var query = ""
        @Observed var isOnline = true
        var canSearch: Bool { isOnline && query.count > 2 }  // was CombineLatest
        let didSubmit = Signal<String>()  // was a PassthroughSubject
    }

    @MainActor final class SearchView {
        // It was a Set<AnyCancellable>:
        private lazy var observations = ObservationController(observer: self)
        private(set) var lines: [String] = []

        func show(_ model: SearchModel) {
            observations.observe(model, \.query, removing: .duplicates) {
                view, query in view.lines.append(query)
            }
            observations.observe(model, \.canSearch, initial: false) { view, can in
                view.lines.append("search: \(can)")
            }
            observations.observe(model.didSubmit) { view, query in
                view.lines.append("submitted \(query)")
            }
        }
    }
    // end snippet

    @Test("Article on migrating, from Combine: a property, a combination and a subject")
    @MainActor func fromCombine() throws {
        let tracker = LifetimeTracker()
        do {
            let (model, view) = (tracker.track(SearchModel()), tracker.track(SearchView()))
            view.show(model)
            // snippet: from-combine-use
            model.query = "kvo"
            model.didSubmit.send(model.query)
            model.isOnline = false
            print(view.lines)
            // prints ["", "kvo", "search: true", "submitted kvo", "search: false"]
            // end snippet
            #expect(view.lines == ["", "kvo", "search: true", "submitted kvo", "search: false"])
        }
        try tracker.expectAllGone()
    }

    // MARK: From NotificationCenter

    // snippet: from-notifications
    struct DocumentSaved: Message {
        let title: String
        let bytes: Int
    }

    @MainActor final class SaveLog {
        private lazy var observations = ObservationController(observer: self)
        private(set) var lines: [String] = []

        func follow(_ center: MessageCenter) {
            observations.observe(center, for: DocumentSaved.self) { log, message in
                log.lines.append("\(message.title): \(message.bytes) bytes")
            }
        }
    }
    // end snippet

    @Test("Article on migrating, from NotificationCenter: a typed message, and nothing to remove")
    @MainActor func fromNotificationCenter() throws {
        let tracker = LifetimeTracker()
        do {
            let (center, log) = (tracker.track(MessageCenter()), tracker.track(SaveLog()))
            log.follow(center)
            // snippet: from-notifications-use
            center.post(DocumentSaved(title: "Letter", bytes: 1200))
            print(log.lines)  // prints ["Letter: 1200 bytes"]
            // end snippet
            #expect(log.lines == ["Letter: 1200 bytes"])
        }
        try tracker.expectAllGone()
    }
}
