import BenchmarkKit
import Foundation
import FoundationBenchmarks
import LimitBenchmarks
import ObservationBenchmarks
import OpenCombineBenchmarks
import SafeKVOBenchmarks
import WeakDictionaryBenchmarks

/// Measures and prints tables.
@main
enum Benchmarks {
    /// Another peer is one more entry.
    static var peers: [Peer] { OpenCombineSuite.peers + ObservationSuite.peers + [FoundationSuite.peer, WeakDictionarySuite.peer] }

    /// Limits first.
    static var all: [Benchmark] { LimitSuite.benchmarks + SafeKVOSuite.benchmarks + peers.flatMap(\.benchmarks) }

    static func main() {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.isHelpWanted { return print(Arguments.help) }
            let thresholds = try Thresholds.read()
            let files = try Files(arguments)
            let report = try arguments.from.map(Files.read) ?? measure(arguments)

            let rows = report.rows(thresholds)
            let verdict = Verdict(rows)
            let tables = [Table(rows).description, PeerTable(rows, report.refusals).description, PeerTable(viewModel: rows).description]
            print(tables.filter { !$0.isEmpty }.joined(separator: "\n\n"))
            print((verdict.remarks + verdict.failures).map { "\n" + $0 }.joined())
            try files.write(report, rows)
            if arguments.isCheck, !verdict.failures.isEmpty { exit(1) }
        } catch let mistake as Arguments.Mistake {
            say(mistake.message)
            exit(64)
        } catch {
            say("\(error)")
            exit(74)
        }
    }

    /// Takes all samples.
    private static func measure(_ arguments: Arguments) throws(Arguments.Mistake) -> Report {
        let (all, peers) = (all, peers)
        try verify(all, peers)
        let chosen = try choose(arguments.only, among: all)
        let before = Machine.load
        var line = ProgressLine(isWanted: arguments.isProgressWanted)
        let figures = Runner(rounds: arguments.rounds).run(chosen) { line.show($0) }
        _ = consume line
        let answered = Set(chosen.filter { $0.contender == .safeKVO }.flatMap(\.cases))
        return Report(
            toolchain: Machine.toolchain, processors: Machine.processors, load: [before, Machine.load],
            figures: chosen.compactMap { benchmark in figures[benchmark.name].map { Figure(benchmark, $0) } },
            refusals: peers.flatMap(\.refusals).filter { answered.contains($0.benchmarked) })
    }

    /// Makes sure that there is a row for each case, each peer has answered it, and no two rows have one name.
    private static func verify(_ all: [Benchmark], _ peers: [Peer]) throws(Arguments.Mistake) {
        let own = Set(all.filter { $0.contender == .safeKVO }.flatMap(\.cases))
        var gaps = Case.allCases.filter { !own.contains($0) }.map { "SafeKVO has no row '\($0.rawValue)'" }
        for peer in peers { gaps += peer.unanswered.map { "\(peer.contender.name) says nothing about '\($0.rawValue)'" } }
        gaps += Dictionary(grouping: all, by: \.name).filter { $0.value.count > 1 }.map { "there are two rows '\($0.key)'" }
        guard gaps.isEmpty else { throw Arguments.Mistake(message: gaps.joined(separator: "\n")) }
    }

    /// The benchmarks asked for, those that they are compared with, and the peers of the same cases.
    private static func choose(_ substring: String?, among all: [Benchmark]) throws(Arguments.Mistake) -> [Benchmark] {
        guard let substring else { return all }
        let asked = all.filter { $0.name.contains(substring) }
        guard !asked.isEmpty else { throw Arguments.Mistake(message: "no row's name contains '\(substring)'") }
        let cases = Set(asked.flatMap(\.cases))
        let related = all.filter { benchmark in
            asked.contains { $0.name == benchmark.name } || benchmark.cases.contains(where: cases.contains)
        }
        let names = Set(related.map(\.name))
        let limits = try Thresholds.read().filter { names.contains($0.row) }.compactMap(\.limit)
        return all.filter { names.contains($0.name) || limits.contains($0.name) }
    }

    private static func say(_ line: String) {
        FileHandle.standardError.write(Data("benchmarks: \(line)\n".utf8))
    }
}
