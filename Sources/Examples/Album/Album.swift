import Foundation
import SafeKVO
import SafeKVODiagnostics

/// The main program, which reads the arguments and shows the albums.
///
/// To read the example, begin with ``CoverWanted``, ``AlbumView``, ``Spinner`` and ``CoverLibrary``.
@main
enum Album {
    @MainActor static func main() {
        do throws(UsageError) {
            switch try Arguments(CommandLine.arguments.dropFirst()) {
            case .help: print(Arguments.usage, terminator: "")
            case .run(let folder, let cache, let titles, let drawsGraph, let file):
                let trace = ObservationTrace()
                if file != nil { trace.start() }
                var problems = try Show(folder: folder, cache: cache, titles: titles, drawsGraph: drawsGraph).run()
                trace.stop()
                if let file, (try? Data(trace.chromeTrace.utf8).write(to: file)) == nil {
                    problems.append("\(file.path): the trace cannot be written; name another file with --trace")
                }
                for problem in problems { write("album: \(problem)\n") }
                if !problems.isEmpty { exit(1) }
            }
        } catch {
            write(error.line)
            exit(UsageError.exitStatus)
        }
    }

    private static func write(_ line: String) {
        FileHandle.standardError.write(Data(line.utf8))
    }
}
