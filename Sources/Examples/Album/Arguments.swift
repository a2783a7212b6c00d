import Foundation

enum Arguments {
    case help
    case run(folder: URL, cache: URL, titles: [String], drawsGraph: Bool, trace: URL?)

    static let usage = """
        usage: album [FOLDER] [--cache FOLDER] [--title TITLE]... [--graph] [--trace FILE] [--help]

        Shows the covers of albums, PNG files in a folder, in views that ask for them; views may go before their covers come.

          FOLDER          where the covers are (default: four small ones that come with the program)
          --cache FOLDER  where covers are kept for the next run (default: the user's folder for caches)
          --title TITLE   an album to show, by the name of its file without .png; may be given again (default: all in the folder)
          --graph         print who observes whom while covers are on their way, for Mermaid
          --trace FILE    write what was observed when, for Perfetto or chrome://tracing
          --help          print this and end

        """

    init(_ words: some Sequence<String>) throws(UsageError) {
        var folder: URL?
        var cache: URL?
        var titles: [String] = []
        var drawsGraph = false
        var trace: URL?
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--help", "-h":
                self = .help
                return
            case "--cache", "--title", "--trace":
                guard let value = words.next(), !value.isEmpty else { throw UsageError(problem: "\(word) needs a value") }
                switch word {
                case "--cache": cache = URL(fileURLWithPath: value)
                case "--trace": trace = URL(fileURLWithPath: value)
                default: titles.append(value)
                }
            case "--graph":
                drawsGraph = true
            default:
                guard folder == nil, !word.hasPrefix("-") else { throw UsageError(problem: "unknown option '\(word)'") }
                folder = URL(fileURLWithPath: word)
            }
        }
        self = .run(
            folder: folder ?? Self.bundledCovers, cache: cache ?? Self.userCache, titles: titles, drawsGraph: drawsGraph, trace: trace)
    }

    private static var bundledCovers: URL { Bundle.module.bundleURL.appendingPathComponent("Covers") }

    private static var userCache: URL {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first ?? FileManager.default.temporaryDirectory
        return caches.appendingPathComponent("SafeKVO-album")
    }
}
