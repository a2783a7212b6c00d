// snippet: event-imports
import SafeKVO
import SafeKVOEvents
// end snippet
import Testing

// snippet: message-names
extension MessageName {
    static let albumDidChange: MessageName = "albumDidChange"
}
// end snippet

/// The examples of the article on events.
@Suite @MainActor struct EventsTests {
    // snippet: message
    struct CoverWanted: Message {
        let title: String
    }
    // end snippet

    // snippet: subject
    final class Thermometer: ObservableSubject {
        let eventRegistrar = EventRegistrar<Void>()
        var degrees = 20 { didSet { notify() } }
    }

    final class Display: SubjectObserver {
        var text = ""
        func update(_ thermometer: Thermometer) { text = "\(thermometer.degrees)°" }
    }
    // end snippet

    // snippet: event-source
    final class Doorbell: ObservationSource {
        let eventRegistrar = EventRegistrar<Int>()
        func ring(times: Int) { eventRegistrar.notify(times) }
    }

    // Any thread may ring this one.
    final class FireBell: SharedObservationSource, Sendable {
        let eventRegistrar = EventRegistrar<Int>()
        func ring(times: Int) { eventRegistrar.notify(times) }
    }
    // end snippet

    @Test("Article on events: sources of your own")
    func sourcesOfYourOwn() {
        let (doorbell, fireBell, view) = (Doorbell(), FireBell(), View())
        view.observations.observe(doorbell) { view, times in view.heard.append("door \(times)") }
        view.observations.observe(fireBell) { view, times in view.heard.append("fire \(times)") }
        doorbell.ring(times: 1)
        fireBell.ring(times: 2)
        #expect(view.heard == ["door 1", "fire 2"])
    }

    final class Album {}

    final class Player {
        let finished = Signal<Int>()
    }

    @MainActor final class View {
        var heard: [String] = []
        lazy var observations = ObservationController(observer: self)

        func reload() { heard.append("reload") }
        func coverIsWanted(_ message: CoverWanted) { heard.append("cover of \(message.title)") }
    }

    @Test("Events: signals, messages with a name, messages of a type")
    func eachKindOfEventIsHeard() {
        let (player, view, album) = (Player(), View(), Album())
        let center = MessageCenter()
        let observations = view.observations
        // A signal is a constant of the object in which it happens: let finished = Signal<Int>()
        observations.observe(player.finished) { view, track in view.heard.append("finished \(track)") }
        player.finished.send(3)

        // Messages with a name: of every object or of one, of a name or, with nil, of every name.
        observations.observe(center, for: .albumDidChange, object: album) { view, message in view.reload() }
        center.post(.albumDidChange, object: album, userInfo: ["title": "Suites"])

        // Messages that are types: observers get the value.
        observations.observe(center, for: CoverWanted.self, action: View.coverIsWanted(_:))
        center.post(CoverWanted(title: "Suites"))

        // A name becomes a type in one place, once for each post. What a decoder throws is reported.
        center.setDecoder(MessageDecoder { CoverWanted(title: $0.userInfo["title"] as? String ?? "") }, for: .albumDidChange)
        center.post(.albumDidChange, userInfo: ["title": "Sonatas"])
        #expect(view.heard == ["finished 3", "reload", "cover of Suites", "cover of Sonatas"])
    }

    @Test("Events: the roles of the observer pattern")
    func theRolesAreTaken() {
        let (thermometer, display) = (Thermometer(), Display())
        // snippet: attach
        thermometer.attach(display)
        thermometer.degrees = 21  // calls display.update(thermometer)
        thermometer.detach(display)
        print(display.text)  // prints 21°
        // end snippet
        thermometer.degrees = 22
        #expect(display.text == "21°")
    }

    // snippet: delegates
    protocol ListDelegate: AnyObject {
        func listDidReload()
    }

    final class List {
        let delegates = MulticastDelegate<any ListDelegate>()
        func reload() { delegates.call { $0.listDidReload() } }
    }
    // end snippet

    @Test("Article on events: several delegates")
    func delegatesAreCalled() {
        final class Counter: ListDelegate {
            var count = 0
            func listDidReload() { count += 1 }
        }
        let (list, counter) = (List(), Counter())
        list.delegates.add(counter)
        list.reload()
        #expect(counter.count == 1)
    }

    final class Clock: KeyValueObject {
        @Observed var hour = 0
    }

    @Test("Article on receiving: pushed and pulled values")
    func valuesArePushedOrPulled() {
        let (clock, view) = (Clock(), View())
        let observations = view.observations
        // snippet: push-pull
        observations.observe(clock, \.hour) { view, hour in
            view.heard.append("pushed \(hour)")
        }
        observations.observe(clock, \.hour, options: [], tag: "pull") {
            view, clock, _ in view.heard.append("pulled \(clock.hour)")
        }
        clock.hour = 5
        print(view.heard)  // prints ["pushed 0", "pushed 5", "pulled 5"]
        // end snippet
        #expect(view.heard == ["pushed 0", "pushed 5", "pulled 5"])
    }

    @Test("Article on key paths: any property of an object")
    func anyPropertyIsHeardOf() {
        let (clock, view) = (Clock(), View())
        let observations = view.observations
        // snippet: any-property
        observations.observe(clock, \.self, options: []) { view, clock, _ in
            view.heard.append("now \(clock.hour)")
        }
        // end snippet
        clock.hour = 5
        #expect(view.heard == ["now 5"])
    }

    @Test("Article on events: a signal")
    func aSignalIsSent() {
        let (player, view) = (Player(), View())
        let observations = view.observations
        // snippet: event-signal
        // In the player: let finished = Signal<Int>()
        observations.observe(player.finished) { view, track in
            view.heard.append("finished \(track)")
        }
        player.finished.send(3)
        print(view.heard)  // prints ["finished 3"]
        // end snippet
        #expect(view.heard == ["finished 3"])
    }

    @Test("Article on events: messages with a name, of one object")
    func messagesWithANameArePosted() {
        let (view, album, another) = (View(), Album(), Album())
        let center = MessageCenter()
        let observations = view.observations
        // snippet: event-named
        observations.observe(center, for: .albumDidChange, object: album) {
            view, message in view.heard.append("\(message.userInfo["title"] ?? "")")
        }
        center.post(.albumDidChange, object: album, userInfo: ["title": "Suites"])
        center.post(.albumDidChange, object: another)  // another album: no call
        print(view.heard)  // prints ["Suites"]
        // end snippet
        #expect(view.heard == ["Suites"])
    }

    @Test("Article on events: messages of a type, and a name that becomes one")
    func messagesOfATypeArePosted() {
        let view = View()
        let center = MessageCenter()
        let observations = view.observations
        // snippet: event-typed
        observations.observe(center, for: CoverWanted.self) { view, message in
            view.heard.append("cover of \(message.title)")
        }
        center.post(CoverWanted(title: "Suites"))
        print(view.heard)  // prints ["cover of Suites"]
        // end snippet
        #expect(view.heard == ["cover of Suites"])
        // snippet: event-decoder
        let decoder = MessageDecoder { message in
            CoverWanted(title: message.userInfo["title"] as? String ?? "")
        }
        center.setDecoder(decoder, for: .albumDidChange)
        center.post(.albumDidChange, userInfo: ["title": "Sonatas"])
        print(view.heard)  // prints ["cover of Suites", "cover of Sonatas"]
        // end snippet
        #expect(view.heard == ["cover of Suites", "cover of Sonatas"])
    }

    @Test("Article on events: a part of a message with a name, on the main actor")
    func aPartOfAMessageIsBrought() async {
        let center = MessageCenter()
        let panel = Panel()
        let observations = panel.observations
        // snippet: event-transform
        observations.observe(
            center, for: .albumDidChange,
            transform: { $0.userInfo["title"] as? String },
            on: .mainActor { panel, title in panel.title = title })
        // end snippet
        await Task.detached { center.post(.albumDidChange, userInfo: ["title": "Suites"]) }.value
        while panel.title == nil { await Task.yield() }
        #expect(panel.title == "Suites")
    }

    @MainActor final class Panel {
        var title: String?
        lazy var observations = ObservationController(observer: self)
    }
}
