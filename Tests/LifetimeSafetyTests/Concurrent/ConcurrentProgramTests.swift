import Foundation
import SafeKVO
import Testing

/// Rules 30 to 41: every public operation on several threads, the main actor and other actors at once.
@Suite struct ConcurrentProgramTests {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test("Rules 11a, 30 to 41, 49: what threads and actors do at once keeps the rules that hold under any order")
    func concurrentProgramsKeepTheRules() async {
        // In a process of its own the main actor belongs to these programs alone, and a crash tells its seed.
        await #expect(processExitsWith: .success) { await ConcurrentProgramTests.run() }
        // What a process writes is lost if it fails. So it writes into a file.
        let log = Self.log(of: getpid())
        let lines = ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n")
        print(lines.suffix(Self.lastLines).joined(separator: "\n"))
        try? FileManager.default.removeItem(atPath: log)
    }

    @MainActor private static func run() async {
        let first = number("SAFEKVO_CONCURRENT_SEED") ?? 1
        let programs = number("SAFEKVO_CONCURRENT_PROGRAMS") ?? 80
        let mostFailures = number("SAFEKVO_CONCURRENT_FAILURES") ?? 1
        var failures = 0
        let warnings = FalseWarnings()
        Watchdog.start()
        for seed in first..<first + programs {
            Watchdog.pat()
            tell("Concurrent: SAFEKVO_CONCURRENT_SEED=\(seed)")
            let findings = await ConcurrentProgram(seed: UInt64(seed)).run() + warnings.take()
            if findings.isEmpty { continue }
            failures += 1
            for finding in findings { tell("Concurrent: seed \(seed): \(finding)") }
            if failures == mostFailures { break }
        }
        tell("Concurrent: \(programs) programs from seed \(first), failed \(failures)")
        if failures > 0 { exit(1) }
    }

    private static let lastLines = number("SAFEKVO_CONCURRENT_LINES") ?? 30

    private static func log(of process: pid_t) -> String { NSTemporaryDirectory() + "safekvo-concurrent-\(process).log" }

    /// Writes a line at once, so that it is there if the program crashes.
    fileprivate static func tell(_ line: String) {
        let path = log(of: getppid())
        if !FileManager.default.fileExists(atPath: path) { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        guard let file = FileHandle(forWritingAtPath: path) else { return }
        file.seekToEndOfFile()
        file.write(Data((line + "\n").utf8))
    }
}

/// The warnings of keys that are reported by accessors, so that none is due.
private final class FalseWarnings: Sendable {
    private let lines = Shared<[String]>([])

    init() {
        ObservationDiagnostics.warningHandler = { [lines] warning in
            guard warning.kind == .nothingObservable, "\(warning.position.fileID)".hasSuffix("/World.swift") else { return }
            lines.with { $0.append("19 no false warning: \(warning.message)") }
        }
    }

    func take() -> [String] { Array(lines.exchange([]).prefix(1)) }
}

/// Ends a process that hangs.
private enum Watchdog {
    private static let last = Shared(ContinuousClock.now)

    static func pat() { _ = last.exchange(.now) }

    static func start() {
        Thread {
            while ContinuousClock.now - last.current < .seconds(Threads.patience) { Thread.sleep(forTimeInterval: 0.5) }
            ConcurrentProgramTests.tell("Concurrent: hangs")
            abort()
        }.start()
    }
}
