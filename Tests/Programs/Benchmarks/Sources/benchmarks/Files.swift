import BenchmarkKit
import Foundation

/// What is written beside the tables.
struct Files {
    private var json: [URL] = []
    private var plot: URL?

    /// Finds out before minutes of measuring whether the files can be written.
    init(_ arguments: Arguments) throws(Arguments.Mistake) {
        if let path = arguments.json { json.append(URL(fileURLWithPath: path)) }
        if let path = arguments.output {
            let folder = URL(fileURLWithPath: path, isDirectory: true)
            try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            json.append(folder.appendingPathComponent("results.json"))
            plot = folder.appendingPathComponent("benchmarks.svg")
        }
        for file in json + [plot].compactMap({ $0 }) {
            let isThere = FileManager.default.fileExists(atPath: file.path)
            guard
                isThere
                    ? FileManager.default.isWritableFile(atPath: file.path)
                    : FileManager.default.createFile(atPath: file.path, contents: nil)
            else { throw Arguments.Mistake(message: "cannot write '\(file.path)'; \(Arguments.usage)") }
        }
    }

    /// Writes a run.
    func write(_ report: Report, _ rows: [Row]) throws(Arguments.Mistake) {
        do {
            for file in json { try JudgedReport(report, rows).json().write(to: file) }
            if let plot { try Data(Plot(rows, report).description.utf8).write(to: plot) }
        } catch {
            throw Arguments.Mistake(message: "cannot write: \(error)")
        }
    }

    /// Reads an earlier run.
    static func read(_ path: String) throws(Arguments.Mistake) -> Report {
        do {
            return try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw Arguments.Mistake(message: "cannot read '\(path)': \(error)")
        }
    }
}
