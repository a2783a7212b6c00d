#if canImport(ObjectiveC)

    // Every form, as a program on Apple's platforms writes it.
    import Dispatch
    import Foundation
    import SafeKVO
    import SafeKVOFoundation

    @objc enum Genre: Int {
        case baroque
        case rock
    }

    final class Album: NSObject {
        @objc dynamic var title = ""
        @objc dynamic var year = 0
        @objc dynamic var genre = Genre.baroque
        @objc dynamic var next: Album?
        @objc dynamic var tracks: [String] = []
        @objc dynamic var subtitle: String?
    }

    /// Observable in both ways.
    final class Player: ObservableNSObject {
        @Observed var volume = 0
    }

    final class AlbumView: KeyValueObserver {
        enum Context { case title }

        private(set) lazy var observations = ObservationController(observer: self)
        var lines: [String] = []

        func show(_ album: Album, _ player: Player) {
            // snippet: nsobject
            // The properties are @objc dynamic: no class changes for this.
            observations.observe(album, \.title) { view, title in
                view.lines.append(title)
            }
            observations.observe(album, \.year, removing: .duplicates) { view, year in
                view.lines.append("\(year)")
            }
            observations.observe(album, \.genre, options: [.old, .new, .prior], tag: "g") {
                view, album, change in
                let (old, new) = (change.oldValue ?? .rock, change.newValue ?? .rock)
                view.lines.append("\(album.title) \(new) \(old)")
            }
            observations.observe(album, \.next?.title) { view, title in
                view.lines.append(title ?? "none")
            }
            observations.observe(album, \.subtitle) { view, subtitle in
                view.lines.append(subtitle ?? "none")
            }
            // end snippet
            observations.observe(album, \.tracks, options: .new) { view, _, change in
                view.lines.append("\(change.kind) \(change.indexes.map { "\($0)" } ?? "") \(change.newValue ?? [])")
            }
            observations.observe(album, \.title, tag: "action", action: AlbumView.reload)
            observations.observe(album, \.title, tag: "value", action: AlbumView.show(title:))
            observations.observe(album, \.title, options: .new, tag: "change", action: AlbumView.titleDidChange(_:))
            observations.observe(album, \.title, options: .new, tag: "both", action: AlbumView.titleDidChange(_:of:))
            observations.observe(album, \.title, options: .new, tag: "context", context: .title)
            observations.observeEach(album, [\.title, \.year], tag: "several") { view, album, change in view.observe(change, album) }
            observations.observeEach(album, [\.title, \.year], tag: "several actions", action: AlbumView.reload)
            observations.observeEach(album, [\.title, \.year], tag: "several contexts", context: .title)
            observations.observe(album, #keyPath(Album.next.title), as: String?.self) { view, title in view.lines.append(title ?? "") }
            observations.observe(album, "year", as: Int.self, options: [.initial, .new]) { view, album, change in
                view.lines.append("\(album.year) \(change.newValue ?? 0)")
            }
            observations.observe(album, "title", as: String.self, options: .new, tag: "named") { view, _, change in
                view.titleDidChange(change)
            }
            // Its own properties, in the library's own way.
            observations.observe(player, \.volume) { view, volume in view.lines.append("\(volume)") }
            let result = observations.observe(album, \.title) { _, _ in
            } onTermination: { reason in
                print(reason)
            }
            guard result == .alreadyObserved else { return }
            observations.unobserve(album, \.title)
            observations.unobserve(album, "title", tag: "named")
            observations.unobserveEach(album, [\.title, \.year], tag: "several")
            observations.unobserve(album)
            observations.unobserve(player)
        }

        /// The class is observable in both ways: Foundation has a function `observe(_:options:changeHandler:)` for it.
        func tokens(_ album: Album, _ player: Player, _ center: ObservableNotificationCenter) -> [ObservationToken] {
            let volume = player.observation(of: \.volume, options: .new) { player, change in print(player, change) }
            let title = album.observation(of: \.title) { album, title in print(album, title) }
            let notification = center.observation(for: Notification.Name(rawValue: "a")) { notification in print(notification) }
            return [volume, title, notification]
        }

        func reload() { lines = [] }

        func show(title: String) { lines.append(title) }

        func titleDidChange(_ change: KeyValueChange<String>) { lines.append(change.newValue ?? "") }

        func titleDidChange(_ change: KeyValueChange<String>, of album: Album) { lines.append(album.title) }

        func observe(_ change: AnyKeyValueChange, _ album: Album) { lines.append("\(change.kind)") }

        func observeChange(_ change: AnyKeyValueChange, of object: AnyObject, context: Context) { lines.append("\(context)") }
    }

    // snippet: user-defaults
    extension UserDefaults {
        // The property has the name of the key.
        @objc dynamic var volume: Int { integer(forKey: "volume") }
    }

    @MainActor final class VolumeSlider {
        var position = 0
        private lazy var observations = ObservationController(observer: self)

        func follow(_ defaults: UserDefaults) {
            observations.observe(defaults, \.volume) { slider, volume in
                slider.position = volume
            }
        }
    }
    // end snippet

    /// Changed on any thread, under a lock of its own.
    final class Download: NSObject, @unchecked Sendable {
        @objc dynamic var progress = 0.0
    }

    @globalActor actor Disk {
        static let shared = Disk()
    }

    actor Archive {
        private var entries: [Double] = []

        func keep(_ download: Download, _ observations: ObservationController<Archive>, _ other: Archive) {
            observations.observe(download, \.progress, on: .observer { archive, progress in archive.note(progress) })
            observations.observe(
                download, \.progress, options: [.old, .new], tag: "change",
                on: .observer { archive, download, change in
                    archive.note(change.newValue ?? 0)
                })
            observations.observe(download, \.progress, tag: "own") { archive, progress in archive.note(progress) }
        }

        func note(_ progress: Double) { entries.append(progress) }
    }

    final class Meter: Sendable {
        func show(_ download: Download, _ observations: ObservationController<Meter>, _ queue: DispatchQueue, _ archive: Archive) async {
            observations.observe(download, \.progress, on: .mainActor { meter, progress in meter.draw(progress) })
            observations.observe(
                download, \.progress, options: .new, tag: "change",
                on: .mainActor { meter, download, change in
                    meter.draw(change.newValue ?? 0)
                })
            observations.observe(
                download, \.progress, tag: "disk", on: .globalActor(Disk.self) { @Disk meter, progress in meter.write(progress) })
            observations.observe(download, \.progress, tag: "queue", on: .queue(queue) { meter, progress in meter.write(progress) })
            observations.observe(
                download, \.progress, tag: "archive", on: .actor(archive) { archive, meter, progress in archive.note(progress) })
            observations.observe(download, \.progress, tag: "any", on: .anyThread { meter, progress in meter.write(progress) })
            for await progress in observations.values(of: download, \.progress) { write(progress) }
            for await change in observations.changes(of: download, \.progress, options: [.old, .new]) { write(change.newValue ?? 0) }
        }

        @MainActor func draw(_ progress: Double) {}

        func write(_ progress: Double) {}
    }

    @MainActor
    final class MainAlbumView {
        private lazy var observations = ObservationController(observer: self)
        var title = ""

        func show(_ album: Album) {
            observations.observe(album, \.title) { view, title in view.title = title }
            observations.observe(album, \.title, tag: "action", action: MainAlbumView.reload)
        }

        func reload() { title = "" }
    }

#endif
