import BenchmarkKit
import Foundation

/// Shows where a run is, on the standard error.
///
/// On a terminal it is one line that is written anew before each row. Elsewhere it is a line every few seconds, if it was asked for.
struct ProgressLine: ~Copyable {
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let isWanted: Bool
    private let width: Int
    private var last = -Double.infinity

    init(isWanted: Bool) {
        self.isWanted = isWanted
        var size = winsize()
        width = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    mutating func show(_ progress: RunProgress) {
        if isTerminal {
            Self.write("\r\u{1B}[K" + String("\(progress)".prefix(width - 1)))
        } else if isWanted, Clock.wallTime() - last > 5e9 {
            last = Clock.wallTime()
            Self.write("benchmarks: \(progress)\n")
        }
    }

    deinit {
        if isTerminal { Self.write("\r\u{1B}[K") }
    }

    private static func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
