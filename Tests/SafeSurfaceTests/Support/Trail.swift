import Foundation

/// What a process has begun and what it found wrong, written where another process can read it after a crash.
struct Trail: Sendable {
    let path: String

    /// Makes a trail in a file of its own.
    init() {
        path = NSTemporaryDirectory() + "SafeSurface-" + UUID().uuidString
    }

    /// Goes on with a trail that another process has begun.
    init(path: String) {
        self.path = path
    }

    /// Says which mistake comes next.
    func begin(_ index: Int) { append("> \(index)") }

    /// Says that something was not as promised.
    func complain(_ what: String) { append("! \(what)") }

    /// Says that all have been made.
    func end() { append("= the end") }

    private func append(_ line: String) {
        // SAFETY: the file is open until the end of the function.
        guard let file = unsafe fopen(path, "a") else { return }
        unsafe fputs(line.replacing("\n", with: " ") + "\n", file)
        unsafe fclose(file)
    }

    /// Reads at which mistake the process has crashed, if it has, and what it complained of; and removes the file.
    func take() -> (crash: Int?, complaints: [String]) {
        let lines = ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
        try? FileManager.default.removeItem(atPath: path)
        let crash = lines.last { !$0.hasPrefix("! ") }.flatMap { Int($0.dropFirst(2)) }
        return (crash, lines.filter { $0.hasPrefix("! ") }.map { String($0.dropFirst(2)) })
    }
}
