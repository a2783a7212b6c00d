import Foundation
import SafeKVO
import SafeKVOEvents

/// A library that delivers covers to views, from its cache or from a folder.
///
/// The library reads each file of the folder in small steps, as if over a slow network.
@MainActor final class CoverLibrary {
    private let folder: URL
    private let cache: URL
    private var downloads: [Download] = []
    private lazy var observations = ObservationController(observer: self)

    private(set) var problems: [String] = []
    private(set) var abandoned = 0

    init(folder: URL, cache: URL) {
        self.folder = folder
        self.cache = cache
    }

    func serve(_ center: MessageCenter) {
        observations.observe(center, for: CoverWanted.self, action: CoverLibrary.coverIsWanted(_:))
    }

    private func coverIsWanted(_ wish: CoverWanted) {
        if let image = cachedImage(wish.title) {
            wish.view?.cover = image
        } else {
            downloads.append(Download(wish, from: folder.appendingPathComponent("\(wish.title).png")))
        }
    }

    var waiting: Int { downloads.count }

    func proceed() {
        for download in downloads { download.proceed() }
        let finished = downloads.filter(\.isFinished)
        downloads.removeAll(where: \.isFinished)
        for download in finished { deliver(download) }
    }

    private func deliver(_ download: Download) {
        // The message refers to the view weakly, so the view may be deallocated before its cover arrives.
        if download.wish.view == nil { abandoned += 1 }
        do {
            let data = try download.contents()
            let file = try PNGFile(data)
            keep(data, download.wish.title)
            download.wish.view?.cover = Image(width: file.width, height: file.height, origin: .folder)
        } catch let flaw as PNGFile.Flaw {
            note("\(download.file.path): \(flaw.text); replace the file")
        } catch {
            note("\(download.file.path): it cannot be read: \((error as NSError).localizedDescription)")
        }
    }

    private func note(_ problem: String) {
        if !problems.contains(problem) { problems.append(problem) }
    }

    private func cacheFile(_ title: String) -> URL { cache.appendingPathComponent("\(title).png") }

    private func cachedImage(_ title: String) -> Image? {
        guard let data = try? Data(contentsOf: cacheFile(title)), let file = try? PNGFile(data) else { return nil }
        return Image(width: file.width, height: file.height, origin: .cache)
    }

    private func keep(_ data: Data, _ title: String) {
        do {
            try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
            try data.write(to: cacheFile(title), options: .atomic)
        } catch {
            note("\(cacheFile(title).path): it cannot be written: \((error as NSError).localizedDescription); see --cache")
        }
    }
}
