import BenchmarkKit
import Foundation
import GraphKit
import HandGraphs
import MemoisedGraphs
import ObservationGraphs
import SafeKVOGraphs
import SignalGraphs

#if !ALONE
    import OpenCombineGraphs
#endif

/// Builds the graphs of the js-reactivity-benchmark set, counts, measures, and prints tables.
@main
enum Graphs {
    /// Another contender is one more entry.
    private static func contenders(_ options: GraphOptions) -> [GraphContender] {
        var contenders = [SafeKVOGraphs.contender, HandGraphs.contender, SignalGraphs.contender, ObservationGraphs.contender]
        #if !ALONE
            contenders.append(OpenCombineGraphs.contender)
        #endif
        // It is no feature of the library, so that the public tables do not have it.
        if options.isPrototypeWanted { contenders.append(MemoisedGraphs.contender) }
        return contenders
    }

    static func main() {
        do {
            let options = try GraphOptions(CommandLine.arguments.dropFirst())
            if options.isHelpWanted { return print(GraphOptions.usage) }
            guard !options.shapes.isEmpty else { throw Arguments.Mistake(message: "no shape's name contains '\(options.only)'") }
            let report = try options.from.map { try JSONDecoder().decode(GraphReport.self, from: Data(contentsOf: $0)) } ?? measure(options)
            print(GraphTable(report))
            let failures = GraphVerdict(report).failures
            for failure in failures { print(failure) }
            print("\(report.counted) graphs counted, \(failures.count) wrong or unexplained")
            if let output = options.output {
                try report.json().write(to: output.appendingPathComponent("graphs.json"))
                try Data(GraphPlot(report).description.utf8).write(to: output.appendingPathComponent("graphs.svg"))
            }
            if options.isCheck, !failures.isEmpty { exit(1) }
        } catch let mistake as Arguments.Mistake {
            say(mistake.message)
            exit(64)
        } catch {
            say("\(error)")
            exit(74)
        }
    }

    private static func measure(_ options: GraphOptions) throws -> GraphReport {
        let reasons = try JSONDecoder().decode([GraphReason].self, from: Data(contentsOf: reasons))
        var last = Clock.wallTime()
        return GraphReport(contenders(options), options.shapes, reasons, rounds: options.rounds) { progress in
            guard options.isProgressWanted, Clock.wallTime() - last > 5e9 else { return }
            last = Clock.wallTime()
            say("\(progress)")
        }
    }

    /// Why counts differ: in the folder of the package that this was built from.
    private static let reasons = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Thresholds/graphs.json")

    private static func say(_ line: String) {
        FileHandle.standardError.write(Data("graphs: \(line)\n".utf8))
    }
}
