import BenchmarkKit
import Foundation

/// A run as a picture (SVG): a line for each shape, with everybody's time in relation to SafeKVO's, on a logarithmic scale.
public struct GraphPlot: CustomStringConvertible {
    private static let width = 700
    private static let lineHeight = 19
    private static let top = 76
    /// The ends of the scale.
    private static let left = 112.0
    private static let right = 540.0

    /// A colour, and a mark around the origin.
    private static let marks = [
        ("#666666", "M-4-4h8v8h-8z"), ("#d55e00", "M0-5L5 0L0 5L-5 0z"), ("#009e73", "M0-5L5 4L-5 4z"), ("#9333ea", "M0 5L5-4L-5-4z"),
        ("#e69f00", "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z"), ("#0ea5e9", "M-5-2h3v-3h4v3h3v4h-3v3h-4v-3h-3z"),
    ]

    private let report: GraphReport
    private let peers: [Contender]
    /// The powers of ten at both ends.
    private let powers: ClosedRange<Int>

    /// Draws a run.
    public init(_ report: GraphReport) {
        self.report = report
        peers = report.contenders.filter { $0 != .safeKVO }
        let ratios = report.rows.compactMap { Self.ratio($0, report) }.map { log10($0) }
        powers = Int((ratios.min() ?? 0).rounded(.down))...max(1, Int((ratios.max() ?? 1).rounded(.up)))
    }

    private static func ratio(_ row: GraphRow, _ report: GraphReport) -> Double? {
        guard let time = row.time, let own = report.row(row.shape, .safeKVO)?.time else { return nil }
        return time.median / own.median
    }

    private func x(_ ratio: Double) -> Double {
        let (low, high) = (Double(powers.lowerBound), Double(powers.upperBound))
        return Self.left + (log10(ratio) - low) / (high - low) * (Self.right - Self.left)
    }

    /// The picture.
    public var description: String {
        let shapes = report.shapes
        let bottom = Self.top + Self.lineHeight * shapes.count
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(bottom + 44)" width="\(Self.width)" height="\(bottom + 44)">
            <style>
            text{font:12px sans-serif;fill:#222}.t{font-weight:bold}.n{text-anchor:end}.m{text-anchor:middle}.c{font-size:11px;fill:#555}
            .g{stroke:#ddd}.o{stroke:#1f6feb;stroke-width:2}.b{fill:#fff}.z{fill:#f4f6f8}
            </style>
            <rect class="b" width="100%" height="100%"/>
            <text class="t" x="10" y="18">Graphs: time by one write or creation, in relation to SafeKVO</text>
            \(legend)
            \(scale(bottom))
            \(shapes.enumerated().map { line($1, y: Self.top + Self.lineHeight * $0, isShaded: $0.isMultiple(of: 2)) }.joined(separator: "\n"))
            <path class="o" d="M\(x(1)) \(Self.top)V\(bottom)"/>
            <text class="c" x="10" y="\(bottom + 36)">Medians of one run. \(report.machine).</text>
            </svg>

            """
    }

    private var legend: String {
        var place = 10.0
        var lines = ["<path class=\"o\" d=\"M\(place + 4) 30v12\"/><text x=\"\(place + 12)\" y=\"40\">SafeKVO</text>"]
        place += 76
        for (peer, mark) in zip(peers, Self.marks) {
            lines.append("<path fill=\"\(mark.0)\" transform=\"translate(\(place + 5) 36)\" d=\"\(mark.1)\"/>")
            lines.append("<text x=\"\(place + 14)\" y=\"40\">\(peer.name)</text>")
            place += 22 + 7.1 * Double(peer.name.count)
        }
        return lines.joined()
    }

    private func scale(_ bottom: Int) -> String {
        let lines = powers.map { power in
            let place = x(pow(10, Double(power)))
            let text = power < 0 ? "1/\(Int(pow(10, Double(-power))))" : "\(Int(pow(10, Double(power))))×"
            return "<path class=\"g\" d=\"M\(place) \(Self.top)V\(bottom)\"/>"
                + "<text class=\"c m\" x=\"\(place)\" y=\"\(bottom + 14)\">\(text)</text>"
        }
        let heads = """
            <text class="c n" x="\(x(1) - 8)" y="66">← faster than SafeKVO</text><text class="c" x="\(x(1) + 8)" y="66">slower →</text>
            <text class="c n" x="615" y="66">SafeKVO</text><text class="c n" x="692" y="66">runs (of)</text>
            """
        return heads + lines.joined()
    }

    private func line(_ shape: GraphShape, y: Int, isShaded: Bool) -> String {
        let own = report.row(shape, .safeKVO)
        let middle = y + Self.lineHeight / 2
        var parts: [String] = []
        if isShaded { parts.append("<rect class=\"z\" x=\"5\" y=\"\(y)\" width=\"690\" height=\"\(Self.lineHeight)\" opacity=\"0.6\"/>") }
        parts.append("<text class=\"n\" x=\"\(Self.left - 8)\" y=\"\(middle + 4)\">\(shape.rawValue)</text>")
        for (peer, mark) in zip(peers, Self.marks) {
            guard let row = report.row(shape, peer), let ratio = Self.ratio(row, report) else { continue }
            let place = String(format: "%.1f", x(ratio))
            parts.append("<path fill=\"\(mark.0)\" fill-opacity=\"0.85\" transform=\"translate(\(place) \(middle))\" d=\"\(mark.1)\"/>")
        }
        if let own, let time = own.time, let counts = own.counts {
            parts.append("<text class=\"n\" x=\"615\" y=\"\(middle + 4)\">\(Self.text(time.median))</text>")
            let (ran, expected) = (counts.runs.shortText, own.expected.runs.shortText)
            let runs = ran == expected ? ran : "\(ran) (\(expected))"
            parts.append("<text class=\"n\" x=\"692\" y=\"\(middle + 4)\">\(runs)</text>")
        }
        return parts.joined()
    }

    private static func text(_ nanoseconds: Double) -> String {
        nanoseconds < 1000 ? "\(nanoseconds.figureText) ns" : "\((nanoseconds / 1000).figureText) µs"
    }
}
