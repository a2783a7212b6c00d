import Foundation
import SafeKVO
import Testing

/// Rules 30 to 41: every public operation on several threads, the main actor and other actors at once.
@Suite struct ConcurrentProgramTests {
    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    @Test("Rules 11a, 30 to 41, 49: what threads and actors do at once keeps the rules that hold under any order")
    func concurrentProgramsKeepTheRules() async {
        // In a process of its own the main actor belongs to these programs alone, and a crash tells its seed.
        let result = await #expect(processExitsWith: .success) { await ConcurrentProgramTests.run() }
        let path = Self.log(of: getpid())
        // The testing library may add bytes that are no text.
        let log = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
        let lines = log.split(separator: "\n")
        if let last = lines.last(where: { $0.hasPrefix("Concurrent:") }), result?.exitStatus == .exitCode(0) {
            print(last)
        } else {
            print(lines.suffix(Self.lastLines).joined(separator: "\n"))
        }
        try? FileManager.default.removeItem(atPath: path)
    }

    private static let lastLines = number("SAFEKVO_CONCURRENT_LINES") ?? 200

    /// The process writes to a file that its parent knows: its output is lost if it fails.
    private static func log(of process: pid_t) -> String { NSTemporaryDirectory() + "safekvo-concurrent-\(process).log" }

    private static func divertErrors() {
        let path = log(of: getppid())
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path) else { return }
        dup2(file.fileDescriptor, STDERR_FILENO)
    }

    /// Writes a line at once, so that it is there if the program crashes.
    fileprivate static func tell(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

    @MainActor private static func run() async {
        divertErrors()
        let first = number("SAFEKVO_CONCURRENT_SEED") ?? 1
        let programs = number("SAFEKVO_CONCURRENT_PROGRAMS") ?? 80
        let mostFailures = number("SAFEKVO_CONCURRENT_FAILURES") ?? 1
        var failures = 0
        let warnings = FalseWarnings()
        Watchdog.start()
        for seed in first..<first + programs {
            Watchdog.pat()
            tell("Concurrent: SAFEKVO_CONCURRENT_SEED=\(seed)")
            let (broken, program) = await ConcurrentProgram(seed: UInt64(seed)).run()
            let findings = broken + warnings.take()
            if findings.isEmpty { continue }
            failures += 1
            tell("Concurrent: \(program)")
            for finding in findings { tell("Concurrent: seed \(seed): \(finding)") }
            if failures == mostFailures { break }
        }
        tell("Concurrent: \(programs) programs from seed \(first), failed \(failures)")
        if failures > 0 { exit(1) }
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
