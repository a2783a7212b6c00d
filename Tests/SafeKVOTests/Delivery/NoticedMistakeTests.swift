import SafeKVO
import TestSupport
import Testing

/// Rule 40a: what is probably a mistake of a registration is said at once.
@Suite struct NoticedMistakeTests {
    final class Song: KeyValueObject {
        @Observed var title = ""
        @Observed var length = 0
        var loud: String { title.uppercased() }
    }
    final class Panel {
        var heard: [String] = []
        var observations: ObservationController<Panel>?
    }

    let song = Song()
    let panel = Panel()

    init() { Warnings.listen() }

    @Test("Rule 40a: a registration that another line has made before is reported once, with both lines and what to do")
    func anIgnoredRegistrationIsReported() {
        let observations = ObservationController(observer: panel)
        let start: UInt = #line
        observations.observe(song, \.title) { _, _ in }
        for _ in 1...3 {
            #expect(observations.observe(song, \.title, handler: { _, _ in }) == .alreadyObserved)
        }
        #expect(Warnings.about(start...#line) == ["ignoredRegistration 3"])
        let message = Warnings.messages(start...#line).first ?? ""
        for part in ["Panel", "title", "NoticedMistakeTests.swift:\(start + 1)", "tag:", "ifAlreadyObserved: .replace"] {
            #expect(message.contains(part), "\(part) in: \(message)")
        }
    }

    @Test("Rule 40a: the same line again, a tag, a replacement and another controller are no mistakes")
    func whatIsMeantIsNotReported() {
        let observations = ObservationController(observer: panel)
        let others = ObservationController(observer: panel)
        let start: UInt = #line
        for _ in 1...3 { observations.observe(song, \.title) { _, _ in } }
        observations.observe(song, \.title, tag: "second") { _, _ in }
        observations.observe(song, \.title, ifAlreadyObserved: .replace) { _, _ in }
        others.observe(song, \.title) { _, _ in }
        observations.unobserve(song, \.title)
        observations.observe(song, \.title) { _, _ in }
        #expect(Warnings.about(start...#line).isEmpty)
    }

    @Test("Rule 40a: a controller that nobody kept is reported once, with the line of its registration")
    func anUnkeptControllerIsReported() {
        let start: UInt = #line
        for _ in 1...2 {
            ObservationController(observer: panel).observe(song, \.title) { panel, title in
                panel.heard.append(title)
            }
        }
        _ = ObservationController(observer: panel).observe(song, \.title, options: [.new]) { _, _, _ in }
        ObservationController(observer: panel).observeEach(song, [\.title, \.length]) { _, _, _ in }
        #expect(Warnings.about(start...#line) == ["unkeptController 2", "unkeptController 6", "unkeptController 7"])
        let message = Warnings.messages(start...#line).first ?? ""
        for part in ["ObservationController", "title", "Panel"] { #expect(message.contains(part), "\(part) in: \(message)") }
    }

    @Test("Rule 40a: the end of a scope, a controller that is let go of, and an observer that dies are no mistakes")
    func aKeptControllerIsNotReported() {
        let start: UInt = #line
        do {
            let observations = ObservationController(observer: panel)
            observations.observe(song, \.title) { _, _ in }
        }
        panel.observations = ObservationController(observer: panel)
        panel.observations?.observe(song, \.title) { _, _ in }
        panel.observations = nil
        var other: Panel? = Panel()
        other?.observations = other.map { ObservationController(observer: $0) }
        other?.observations?.observe(song, \.title) { _, _ in }
        other = nil
        ObservationController(observer: panel).unobserve(song, \.title)
        ObservationController(observer: panel).observe(nil as Song?, \.title) { _, _ in }
        #expect(Warnings.about(start...#line).isEmpty)
    }

    @Test("Rule 40a: a refused registration is reported once a line, with the object or its key, the reason and what to do")
    func aRefusedRegistrationIsReported() {
        let (ended, orphan) = (ObservationController(observer: panel), ObservationController(observer: Panel()))
        ended.invalidate()
        let start: UInt = #line
        for _ in 1...3 {
            #expect(ended.observe(song, \.title, handler: { _, _ in }) == .refused(.controllerInvalidated))
            #expect(orphan.observe(song, \.title, options: .new, handler: { _, _, _ in }) == .refused(.observerDeinitialized))
            #expect(orphan.observeEach(song, [\.title, \.length], handler: { _, _, _ in }).count == 2)
        }
        withExtendedLifetime(orphan.values(of: song, \.loud)) {}
        #expect(Warnings.about(start...#line) == [2, 3, 4, 6].map { "refusedRegistration \($0)" })
        let messages = Warnings.messages(start...#line)
        #expect(messages.count == 4)
        for (message, parts) in zip(
            messages,
            [
                ["`Song.title`", "NoticedMistakeTests.swift:\(start + 2)", "invalidate()", "another controller"],
                ["`Song", "NoticedMistakeTests.swift:\(start + 3)", "observer", "Store"],
                ["`Song", "NoticedMistakeTests.swift:\(start + 4)", "observer"],
                ["`Song", "NoticedMistakeTests.swift:\(start + 6)", "observer"],
            ])
        {
            for part in parts { #expect(message.contains(part), "\(part) in: \(message)") }
        }
    }

    final class Dying: KeyValueObject {
        @Observed var number = 0
        let panel: Panel
        init(_ panel: Panel) { self.panel = panel }
        static let line: UInt = #line

        deinit {
            ObservationController(observer: panel).observe(self, \.number) { _, _ in }
            observation(of: \.number) { object, _ in object.panel.heard.append("observed") }.cancel()
            bind(self, \.number, to: Song(), \.length).cancel()
        }
    }

    @Test("Rule 40a: so are a registration of an object in its deinit, and a token and a binding that have ended from the start")
    func aRefusalInADeinitIsReported() {
        do { _ = Dying(panel) }
        #expect(panel.heard.isEmpty)
        let lines = Dying.line...Dying.line + 7
        #expect(Warnings.about(lines) == [3, 4, 5].map { "refusedRegistration \($0)" })
        #expect(Warnings.messages(lines).allSatisfy { $0.contains("`Dying`") && $0.contains("deinit") })
    }

    @Test("Rule 40a: an object that is nil is no mistake")
    func anAbsentObjectIsNotReported() {
        let observations = ObservationController(observer: panel)
        let start: UInt = #line
        #expect(observations.observe(nil as Song?, \.title, handler: { _, _ in }) == .refused(.noObject))
        #expect(observations.observeEach(nil as Song?, [\.title], handler: { _, _, _ in }) == [.refused(.noObject)])
        withExtendedLifetime(observations.values(of: nil as Song?, \.title)) {}
        #expect(Warnings.about(start...#line).isEmpty)
    }

    @Test("Rule 40a: an empty list of key paths is reported, with its line")
    func anEmptyListIsReported() {
        let observations = ObservationController(observer: panel)
        let start: UInt = #line
        let none: [PartialKeyPath<Song>] = []
        for _ in 1...2 { #expect(observations.observeEach(song, none, handler: { _, _, _ in }).isEmpty) }
        #expect(Warnings.about(start...#line) == ["noKeyPaths 2"])
        #expect(Warnings.messages(start...#line).first?.contains("Song") ?? false)
    }
}
