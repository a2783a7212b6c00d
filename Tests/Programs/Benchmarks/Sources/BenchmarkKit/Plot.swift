import Foundation

/// The cases as a picture (SVG): one bar chart each, of the library, of what it is compared with and of the peers.
public struct Plot: CustomStringConvertible {
    private static let columns = 3
    private static let width = 480
    private static let lineHeight = 15
    /// Where bars begin, and how long the longest is.
    private static let barStart = 150
    private static let barLength = 240

    /// Stands before the bar of a limit, whose name is a sentence.
    private static let comparedWith = "compared with"

    private let comparison: Comparison
    private let caption: String

    /// Draws a run.
    public init(_ rows: [Row], _ report: Report) {
        comparison = Comparison(rows, report.refusals)
        let load = report.load.map { String(format: "%.1f", $0) }.joined(separator: " before, ")
        caption =
            "Medians of one run. Shorter is better, but for ×. \(report.toolchain), \(report.processors) processors, load \(load) after."
    }

    /// The picture.
    public var description: String {
        let height = Self.lineHeight * (comparison.peers.count + 4)
        let count = comparison.entries.count
        let totalHeight = 40 + height * ((count + Self.columns - 1) / Self.columns)
        let charts = comparison.entries.enumerated().map { index, entry in
            chart(entry, x: 10 + Self.width * (index % Self.columns), y: 40 + height * (index / Self.columns))
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width * Self.columns + 20)" height="\(totalHeight)">
            <style>
            text{font:11px sans-serif;fill:#333}.t{font-weight:bold}.n{text-anchor:end}.c{fill:#999}
            rect{fill:#b8c4d0}.o{fill:#1f6feb}.l{fill:#777}.b{fill:#fff}
            </style>
            <rect class="b" width="100%" height="100%"/>
            <text class="t" x="10" y="22">\(Self.escaped(caption))</text>
            \(charts.joined(separator: "\n"))
            </svg>

            """
    }

    private func chart(_ entry: Comparison.Entry, x: Int, y: Int) -> String {
        var bars = [(name: "SafeKVO", style: " class=\"o\"", answer: Comparison.Answer?.some(.figure(entry.own.figure)))]
        if let limit = entry.limit { bars.append((Self.comparedWith, " class=\"l\"", .figure(limit))) }
        bars += comparison.peers.map { ($0.name, "", entry.answers[$0]) }
        let longest =
            bars.compactMap { bar -> Double? in if case .figure(let figure) = bar.answer { figure.median } else { nil } }.max() ?? 1
        let lines = bars.enumerated().map { index, bar in
            let top = Self.lineHeight * (index + 1)
            let label = "<text class=\"n\" x=\"\(Self.barStart - 5)\" y=\"\(top + 10)\">\(Self.escaped(bar.name))</text>"
            switch bar.answer {
            case .figure(let figure):
                let length = max(1, Int(figure.median / longest * Double(Self.barLength)))
                return label + "<rect\(bar.style) x=\"\(Self.barStart)\" y=\"\(top + 1)\" width=\"\(length)\" height=\"11\"/>"
                    + "<text x=\"\(Self.barStart + length + 4)\" y=\"\(top + 10)\">\(figure.median.figureText)"
                    + (bar.name == Self.comparedWith ? " (\(Self.escaped(figure.name)))" : "") + "</text>"
            case .cannot(let reason):
                return label + "<text class=\"c\" x=\"\(Self.barStart)\" y=\"\(top + 10)\">cannot: \(Self.escaped(reason))</text>"
            case nil: return label
            }
        }
        let title = Self.escaped("\(entry.benchmarked.rawValue) (\(entry.own.figure.unit.rawValue))")
        return "<g transform=\"translate(\(x) \(y))\"><text class=\"t\" y=\"10\">\(title)</text>\n\(lines.joined(separator: "\n"))</g>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}
