import Foundation
import SafeKVO
import SafeKVODiagnostics
import SafeKVOEvents

/// The main part of the program: shows albums in views and waits for their covers.
@MainActor struct Show {
    let folder: URL
    let cache: URL
    let titles: [String]
    let drawsGraph: Bool

    func run() throws(UsageError) -> [String] {
        ObservationDiagnostics.isRecording = drawsGraph
        let titles = try titles.isEmpty ? titlesInFolder() : titles
        let center = MessageCenter()
        let library = CoverLibrary(folder: folder, cache: cache)
        library.serve(center)

        var views = titles.map { AlbumView(title: $0, center: center) }
        for view in views { print("  \(view.line)") }
        if drawsGraph { print(ObservationDiagnostics.snapshot().mermaid) }
        let total = library.waiting
        if total > 0 {
            library.proceed()
            // This second view of the first album is deallocated before its cover arrives.
            views.append(AlbumView(title: titles[0], center: center))
            library.proceed()
            views.removeLast()
        }
        var reported = 0
        while library.waiting > 0 {
            if library.waiting != reported { print("  loading: \(library.waiting) to come") }
            reported = library.waiting
            library.proceed()
        }
        for view in views { print("  \(view.line)") }
        let cached = views.filter { $0.cover?.origin == .cache }.count
        print("\(views.count) albums, \(cached) covers from the cache, \(library.abandoned) came too late")
        return library.problems
    }

    private func titlesInFolder() throws(UsageError) -> [String] {
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            throw UsageError(problem: "the folder '\(folder.path)' does not exist or cannot be read")
        }
        let titles = files.filter { $0.hasSuffix(".png") }.map { String($0.dropLast(4)) }.sorted()
        if titles.isEmpty { throw UsageError(problem: "the folder '\(folder.path)' contains no PNG file") }
        return titles
    }
}
