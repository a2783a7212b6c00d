import SafeKVO
import SafeKVOEvents
import SafeKVOTesting
import TestSupport
import Testing

/// Messages with names that become messages with types.
@MainActor @Suite struct MessageDecoderTests {
    struct CoverWanted: Message, Equatable {
        var title: String
        var size = 0
    }

    struct Missing: Error, CustomStringConvertible {
        let key: String
        var description: String { "no \(key)" }
    }

    @MainActor final class Library {
        let log: EventLog<String>
        lazy var observations = ObservationController(observer: self)

        init(_ log: EventLog<String>) { self.log = log }

        func receive(_ message: CoverWanted) { log.append("receive \(message.title)") }
    }

    let log = EventLog<String>()
    let center = MessageCenter()
    let library: Library

    init() { library = Library(log) }

    private func decoder(line: UInt = #line) -> MessageDecoder {
        MessageDecoder(line: line) { [log] raw in
            log.append("decode \(raw.name)")
            guard let title = raw.userInfo["title"] as? String else { throw Missing(key: "title") }
            return CoverWanted(title: title)
        }
    }

    @Test("Rule 44: decoded once a post, however many observe, after the observers of the name")
    func aMessageIsDecodedOnce() throws {
        center.setDecoder(decoder(), for: "cover")
        let libraries = (0..<100).map { _ in Library(log) }
        for library in libraries { library.observations.observe(center, for: CoverWanted.self, action: Library.receive(_:)) }
        library.observations.observe(center, for: "cover") { library, message in
            library.log.append("raw \(message.userInfo["title"] ?? "")")
        }
        center.post("cover", userInfo: ["title": "Suites"])
        try log.expect(["raw Suites", "decode cover"] + libraries.map { _ in "receive Suites" })
    }

    @Test("Rule 44: nothing is decoded if nobody observes the type")
    func nothingIsDecodedForNobody() throws {
        center.setDecoder(decoder(), for: "cover")
        let thing = Thing()
        library.observations.observe(center, for: "cover") { library, message in library.log.append("raw") }
        center.post("cover", userInfo: ["title": "Suites"])
        library.observations.observe(center, for: CoverWanted.self, object: thing) { library, message in library.receive(message) }
        center.post("cover", userInfo: ["title": "Suites"])
        try log.expect(["raw", "raw"])
        center.post("cover", object: thing, userInfo: ["title": "Suites"])
        try log.expect(["raw", "decode cover", "receive Suites"])
    }

    @Test("Rule 44: a failing decoder is reported with name, payload keys and reason; who observes the name still hears")
    func aFailingDecoderIsReported() throws {
        Warnings.listen()
        center.setDecoder(decoder(), for: "cover")
        let first = UInt(#line) - 1
        library.observations.observe(center, for: "cover") { library, message in library.log.append("raw") }
        library.observations.observe(center, for: CoverWanted.self, action: Library.receive(_:))
        center.post("cover", userInfo: ["artist": "Bach", "size": 3])
        try log.expect(["raw", "decode cover"])
        #expect(Warnings.about(first...first) == ["undecodableMessage 0"])
        #expect(
            Warnings.messages(first...first).first?.contains(
                #"could not decode the message 'cover' with the payload keys ["artist", "size"] as `CoverWanted`: no title."#) == true)
        // The next one may be better.
        center.post("cover", userInfo: ["title": "Suites"])
        try log.expect(["raw", "decode cover", "receive Suites"])
        #expect(Warnings.about(first...first).count == 1)
    }

    @Test("Rule 44: the provider is asked once for each unknown name, also if it knows none")
    func theProviderIsAskedOnce() throws {
        let decoder = decoder()
        center.decoderProvider = { [log] name in
            log.append("asked \(name)")
            return name == "cover" ? decoder : nil
        }
        library.observations.observe(center, for: CoverWanted.self, action: Library.receive(_:))
        for _ in 0..<2 {
            center.post("cover", userInfo: ["title": "Suites"])
            center.post("other", userInfo: ["title": "Suites"])
        }
        try log.expect(["asked cover", "decode cover", "receive Suites", "asked other", "decode cover", "receive Suites"])
    }

    @Test("Rule 44: a decoder registered for the name comes before the provider's, and gives way to it when it is removed")
    func aRegisteredDecoderComesFirst() throws {
        center.decoderProvider = { [log] name in
            log.append("asked \(name)")
            return MessageDecoder { _ in CoverWanted(title: "provided") }
        }
        library.observations.observe(center, for: CoverWanted.self, action: Library.receive(_:))
        center.setDecoder(MessageDecoder { _ in CoverWanted(title: "registered") }, for: "cover")
        center.post("cover")
        try log.expect(["receive registered"])
        center.setDecoder(nil, for: "cover")
        center.post("cover")
        center.post("cover")
        try log.expect(["asked cover", "receive provided", "receive provided"])
        center.setDecoder(MessageDecoder { _ in CoverWanted(title: "again") }, for: "cover")
        center.decoderProvider = { _ in nil }
        center.post("cover")
        try log.expect(["receive again"])
        center.decoderProvider = nil
        center.setDecoder(nil, for: "cover")
        center.post("cover")
        try log.expect([])
    }

    @Test("A new provider is asked again about what the old one answered")
    func aNewProviderIsAskedAgain() throws {
        library.observations.observe(center, for: CoverWanted.self, action: Library.receive(_:))
        center.decoderProvider = { _ in nil }
        center.post("cover")
        center.decoderProvider = { _ in MessageDecoder { _ in CoverWanted(title: "new") } }
        center.post("cover")
        try log.expect(["receive new"])
    }

    @Test("A provider or decoder that goes lets go of what it captured")
    func decodersAreReleased() throws {
        final class Capture: Sendable {}
        let tracker = LifetimeTracker()
        func install() {
            let capture = tracker.track(Capture())
            center.decoderProvider = { _ in
                withExtendedLifetime(capture) { nil }
            }
            center.setDecoder(MessageDecoder { _ in withExtendedLifetime(capture) { CoverWanted(title: "") } }, for: "cover")
        }
        install()
        #expect(tracker.survivors.count == 1)
        center.decoderProvider = nil
        center.setDecoder(nil, for: "cover")
        try tracker.expectAllGone()
    }

    @Test("A decoder may post, set decoders and ask for other observations")
    func aDecoderMayDoAnything() throws {
        let center = center
        center.setDecoder(
            MessageDecoder { _ in
                center.setDecoder(nil, for: "cover")
                center.post("cover")
                return CoverWanted(title: "once")
            }, for: "cover")
        library.observations.observe(center, for: "cover") { library, _ in library.log.append("raw") }
        library.observations.observe(center, for: CoverWanted.self, action: Library.receive(_:))
        center.post("cover")
        try log.expect(["raw", "raw", "receive once"])
        center.setDecoder(nil, for: "cover")
    }

    @Test("Rule 44: adding a payload field edits one decoder and no observer")
    func addingAFieldEditsOneDecoder() throws {
        library.observations.observe(center, for: CoverWanted.self, action: Library.receive(_:))
        library.observations.observe(center, for: CoverWanted.self, tag: "closure") { library, message in
            library.log.append("closure \(message)")
        }
        // What the poster says besides, the observers above do not see, and need not be touched to go on.
        let payload: [AnyHashable: Any] = ["title": "Suites", "size": 300]
        center.setDecoder(MessageDecoder { CoverWanted(title: $0.userInfo["title"] as? String ?? "") }, for: "cover")
        center.post("cover", userInfo: payload)
        try log.expect(["receive Suites", #"closure CoverWanted(title: "Suites", size: 0)"#])
        // The one edit.
        center.setDecoder(
            MessageDecoder { CoverWanted(title: $0.userInfo["title"] as? String ?? "", size: $0.userInfo["size"] as? Int ?? 0) },
            for: "cover")
        center.post("cover", userInfo: payload)
        try log.expect(["receive Suites", #"closure CoverWanted(title: "Suites", size: 300)"#])
    }
}
