#if canImport(ObjectiveC)

    import Foundation
    import SafeKVO
    import SafeKVOFoundation
    import Testing

    /// Cocoa's own key-value observing through the controller: one test for each promise, to be run where Cocoa is.
    ///
    /// An exception that Cocoa raises ends the process: a test that crashes has found a defect.
    @Suite struct NSObjectTests {
        @objc enum Genre: Int {
            case baroque
            case rock
        }

        class Album: NSObject {
            @objc dynamic var title = "Suites"
            @objc dynamic var subtitle: String?
            @objc dynamic var genre = Genre.baroque
            @objc dynamic var tracks: [String] = ["Aria"]
            @objc dynamic var next: Album?
            var plain = 0

            @objc func reload() {}
        }

        /// Announces by hand, so that Cocoa's class for it does not clean up.
        final class ManualAlbum: Album {
            override class func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }

            func rename(_ title: String) {
                willChangeValue(forKey: "title")
                self.title = title
                didChangeValue(forKey: "title")
            }
        }

        /// Observes and is observed in its deinit.
        final class Dying: Album {
            let report: (String) -> Void
            let observations: ObservationController<Listener>

            init(_ observations: ObservationController<Listener>, report: @escaping (String) -> Void) {
                self.observations = observations
                self.report = report
            }

            deinit {
                title = "gone"
                report("removed \(observations.unobserve(self, \Album.title))")
                report("\(observations.observe(self as Album, \.subtitle) { _, _ in })")
                // The first weak reference to this object would end the process.
                let own = ObservationController(observer: self as Album)
                report("\(own.observe(Album(), \.title) { _, _ in })")
            }
        }

        final class Listener {
            var heard: [String] = []
        }

        let listener = Listener()
        let observations: ObservationController<Listener>
        let notRetaining: ObservationController<Listener>

        init() {
            observations = ObservationController(observer: listener)
            notRetaining = ObservationController(observer: listener, retainsObserved: false)
        }

        @Test("The value form tells the present value, then each new one")
        func theValueFormTellsTheValues() {
            let album = Album()
            observations.observe(album, \.title) { listener, title in listener.heard.append(title) }
            album.title = "Partitas"
            #expect(listener.heard == ["Suites", "Partitas"])
        }

        @Test("The change form tells what the options ask for")
        func theChangeFormTellsWhatTheOptionsAskFor() {
            let album = Album()
            observations.observe(album, \.title, options: [.old, .new, .prior]) { listener, _, change in
                listener.heard.append("\(change.isPrior) \(change.oldValue ?? "-") \(change.newValue ?? "-")")
            }
            album.title = "Partitas"
            #expect(listener.heard == ["true Suites -", "false Suites Partitas"])
        }

        @Test("Enumerations have their type, and nil is present")
        func enumerationsAndOptionalsAreRight() {
            let album = Album()
            observations.observe(album, \.genre, options: [.old, .new]) { listener, _, change in
                listener.heard.append("\(change.oldValue == .baroque) \(change.newValue == .rock)")
            }
            observations.observe(album, \.subtitle, options: [.old, .new]) { listener, _, change in
                listener.heard.append("\(change.oldValue == .some(nil)) \(change.newValue == .some("a"))")
            }
            let next = Album()
            album.next = next
            observations.observe(album, \.next?.genre) { listener, genre in listener.heard.append("\(genre == .rock)") }
            album.genre = .rock
            album.subtitle = "a"
            next.genre = .rock
            #expect(listener.heard == ["false", "true true", "true true", "true"])
        }

        @Test("An insertion has its position and its elements; the value form gets the whole")
        func anInsertionHasItsPosition() {
            let album = Album()
            observations.observe(album, \.tracks, options: [.old, .new]) { listener, _, change in
                listener.heard.append("\(change.kind) \(change.newValue ?? []) \(change.indexes == RangeSet(1..<2))")
            }
            observations.observe(album, \.tracks, tag: "whole") { listener, tracks in listener.heard.append("\(tracks)") }
            album.mutableArrayValue(forKey: "tracks").add("Gigue")
            #expect(listener.heard == [#"["Aria"]"#, #"insertion ["Gigue"] true"#, #"["Aria", "Gigue"]"#])
        }

        @Test("A nested key path follows what is there")
        func aNestedKeyPathFollows() {
            let (album, first, second) = (Album(), Album(), Album())
            album.next = first
            observations.observe(album, \.next?.title) { listener, title in listener.heard.append(title ?? "none") }
            second.title = "Partitas"
            album.next = second
            first.title = "silent"
            second.title = "Inventions"
            album.next = nil
            #expect(listener.heard == ["Suites", "Partitas", "Inventions", "none"])
        }

        @Test("A key path by its name and by its spelling is one observation")
        func aNameAndASpellingAreOne() {
            let album = Album()
            #expect(observations.observe(album, \.title) { _, _ in } == .added)
            #expect(observations.observe(album, #keyPath(Album.title), as: String.self) { _, _ in } == .alreadyObserved)
            #expect(observations.unobserve(album, "title") == 1)
            #expect(observations.unobserve(album, \.title) == 0)
        }

        @Test("What cannot be observed is accepted, silent, and raises nothing")
        func whatCannotBeObservedRaisesNothing() {
            let album = Album()
            album.next = Album()
            #expect(observations.observe(album, \.plain, options: [.initial, .new]) { _, _, _ in } == .added)
            #expect(observations.observe(album, "nothing", as: String?.self) { _, _ in } == .added)
            // A variable of Swift alone, and a method that returns nothing.
            #expect(observations.observe(album, "plain", as: Int?.self) { _, _ in } == .added)
            #expect(observations.observe(album, "reload", as: Any?.self) { _, _ in } == .added)
            #expect(observations.observe(album, "next.nothing", as: String?.self) { _, _ in } == .added)
            #expect(observations.observe(album, "tracks.count", as: Int?.self) { _, _ in } == .added)
            album.next = nil
            album.tracks = []
            #expect(observations.unobserveAll() == 6)
        }

        @Test("Adding and removing twice harms nobody")
        func addingAndRemovingTwice() {
            let album = Album()
            #expect(observations.observe(album, \.title) { _, _ in } == .added)
            #expect(observations.observe(album, \.title) { _, _ in } == .alreadyObserved)
            #expect(observations.unobserve(album, \.title) == 1)
            #expect(observations.unobserve(album, \.title) == 0)
            #expect(observations.unobserve(album) == 0)
            album.title = "Partitas"
        }

        @Test("Removing inside the initial call, and inside a change")
        func removingInsideACall() {
            let album = Album()
            let controller = observations
            observations.observe(album, \.title) { listener, title in
                listener.heard.append(title)
                controller.unobserve(album, \.title)
            }
            album.title = "Partitas"
            observations.observe(album, \.title, options: .new) { listener, _, change in
                listener.heard.append(change.newValue ?? "")
                controller.unobserve(album, \.title)
            }
            album.title = "Inventions"
            album.title = "silent"
            #expect(listener.heard == ["Suites", "Inventions"])
        }

        @Test("An object that goes first is unregistered before it is gone", arguments: [true, false])
        func anObjectThatGoesFirst(automatic: Bool) {
            weak var gone: Album?
            var reasons: [ObservationEndReason] = []
            let ended = Ended()
            autoreleasepool {
                let album = automatic ? Album() : ManualAlbum()
                gone = album
                notRetaining.observe(album, \.title) { listener, title in
                    listener.heard.append(title)
                } onTermination: {
                    ended.reason = $0
                }
                (album as? ManualAlbum)?.rename("Partitas")
            }
            reasons = ended.reason.map { [$0] } ?? []
            #expect(gone == nil)
            #expect(reasons == [.objectDeinitialized])
            // A new object may be where the old one was.
            for _ in 0..<100 { autoreleasepool { ManualAlbum().rename("x") } }
            #expect(listener.heard == (automatic ? ["Suites"] : ["Suites", "Partitas"]))
        }

        @Test("An object's end ends its observations before its memory is given back, and not when the autorelease pool is emptied")
        func anEndIsNotLate() {
            weak var gone: Album?
            let ended = Ended()
            autoreleasepool {
                do {
                    let album = ManualAlbum()
                    gone = album
                    notRetaining.observe(album as Album, \.title) { _, _ in
                    } onTermination: {
                        ended.reason = $0
                    }
                    notRetaining.unobserve(album as Album, \.subtitle)
                }
                #expect(gone == nil)
                #expect(ended.reason == .objectDeinitialized)
            }
        }

        /// What an end has said.
        final class Ended: @unchecked Sendable {
            // SAFETY: (of @unchecked Sendable) one thread uses it.
            var reason: ObservationEndReason?
        }

        @Test("The root of a nested key path goes first, with what is on the way or without it", arguments: [true, false])
        func theRootOfANestedKeyPathGoesFirst(livesOn: Bool) {
            var kept: Album?
            autoreleasepool {
                let album = Album()
                let next = Album()
                album.next = next
                if livesOn { kept = next }
                notRetaining.observe(album, \.next?.title) { listener, title in listener.heard.append(title ?? "none") }
            }
            kept?.title = "silent"
            #expect(listener.heard == ["Suites"])
        }

        @Test("An object that observes itself is not retained, and is unregistered")
        func anObjectMayObserveItself() {
            final class Mirror: Album {
                private(set) lazy var observations = ObservationController(observer: self)
            }
            weak var gone: Mirror?
            autoreleasepool {
                let mirror = Mirror()
                gone = mirror
                mirror.next = Album()
                mirror.observations.observe(mirror, \.title) { mirror, title in mirror.subtitle = title }
                mirror.observations.observe(mirror, \.next?.title) { mirror, title in mirror.subtitle = title }
                mirror.title = "Partitas"
                #expect(mirror.subtitle == "Partitas")
            }
            #expect(gone == nil)
        }

        @Test("In its deinit an object tells nobody, may be removed, is not observed and does not observe", arguments: [true, false])
        func inItsDeinitAnObjectTellsNobody(wasObserved: Bool) {
            let listener = listener
            autoreleasepool {
                let album = Dying(notRetaining) { listener.heard.append($0) }
                if wasObserved {
                    notRetaining.observe(album as Album, \.title, options: .new) { listener, _, _ in listener.heard.append("?") }
                }
            }
            #expect(
                listener.heard == [
                    "removed \(wasObserved ? 1 : 0)", "\(ObservationResult.refused(.objectDeinitialized))",
                    "\(ObservationResult.refused(.observerDeinitialized))",
                ])
        }

        @Test("Threads may come and go as observers of one object")
        func threadsMayComeAndGo() async {
            final class Shared: NSObject, @unchecked Sendable {
                // SAFETY: (of @unchecked Sendable) nobody changes it.
                @objc dynamic var value = 0
            }
            final class Observer: Sendable {}
            let object = Shared()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let observer = Observer()
                        let observations = ObservationController(observer: observer)
                        for _ in 0..<1000 {
                            observations.observe(object, \.value, on: .anyThread { _, _ in })
                            observations.unobserveAll()
                        }
                    }
                }
            }
            #expect(ObservationDiagnostics.observations(of: object).isEmpty)
        }

        @Test("An object that is observable in both ways is observed in the way of the property")
        func bothWays() {
            final class Player: ObservableNSObject {
                @Observed var volume = 1
            }
            let player = Player()
            observations.observe(player, \.volume) { listener, volume in listener.heard.append("\(volume)") }
            player.volume = 2
            #expect(listener.heard == ["1", "2"])
        }

        @Test("Cocoa's own observers are not disturbed")
        func cocoasOwnObserversAreNotDisturbed() {
            let album = Album()
            let listener = listener
            let token = album.observe(\.title) { _, _ in }
            observations.observe(album, \.title, options: .new) { listener, _, change in listener.heard.append(change.newValue ?? "") }
            album.title = "Partitas"
            token.invalidate()
            album.title = "Inventions"
            #expect(listener.heard == ["Partitas", "Inventions"])
        }
    }

#endif
