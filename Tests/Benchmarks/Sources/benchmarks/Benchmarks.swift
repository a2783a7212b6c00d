import BenchmarkKit
import Foundation
import FoundationBenchmarks
import LimitBenchmarks
import SafeKVOBenchmarks

/// Measures and prints one table.
@main
enum Benchmarks {
    /// Limits first; another library is one more entry.
    static var all: [Benchmark] { LimitSuite.benchmarks + SafeKVOSuite.benchmarks + FoundationSuite.benchmarks }

    static func main() {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.isHelpWanted { return print(Arguments.usage) }
            let chosen = try choose(arguments.only)
            if let path = arguments.json { try prepare(path) }

            let figures = Runner().run(chosen) { say($0) }
            let rows = chosen.compactMap { benchmark -> Row? in
                let threshold = Thresholds.all[benchmark.name]
                return figures[benchmark.name].map { Row(benchmark, $0, threshold, limit: threshold?.limit.flatMap { figures[$0] }) }
            }
            print(Table(rows))
            if let path = arguments.json { try write(rows, path) }
        } catch {
            say(error.message)
            exit(64)
        }
    }

    /// The benchmarks asked for, and those that they are compared with.
    private static func choose(_ substring: String?) throws(Arguments.Mistake) -> [Benchmark] {
        guard let substring else { return all }
        let asked = all.map(\.name).filter { $0.contains(substring) }
        guard !asked.isEmpty else { throw Arguments.Mistake(message: "no row's name contains '\(substring)'") }
        let wanted = Set(asked + asked.compactMap { Thresholds.all[$0]?.limit })
        return all.filter { wanted.contains($0.name) }
    }

    /// Finds out before a minute of measuring whether the file can be written.
    private static func prepare(_ path: String) throws(Arguments.Mistake) {
        guard FileManager.default.createFile(atPath: path, contents: nil) else {
            throw Arguments.Mistake(message: "cannot write '\(path)'; \(Arguments.usage)")
        }
    }

    private static func write(_ rows: [Row], _ path: String) throws(Arguments.Mistake) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try encoder.encode(rows).write(to: URL(fileURLWithPath: path))
        } catch {
            throw Arguments.Mistake(message: "cannot write '\(path)': \(error)")
        }
    }

    private static func say(_ line: String) {
        FileHandle.standardError.write(Data("benchmarks: \(line)\n".utf8))
    }
}
