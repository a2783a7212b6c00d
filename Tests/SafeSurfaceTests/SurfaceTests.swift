import Foundation
import Testing

/// What safe code can feed in: every public function with values that make no sense.
///
/// Nothing that is written without `unsafe` may break memory, confuse types or make an observer deaf. What cannot be carried out ends the
/// program with a message that names the function or property; all else does nothing worse than nothing. `.ci/surface.py` sees to it that no
/// public function is left out.
@Suite struct SurfaceTests {
    static let survived: [Mistakes] = [
        Options.mistakes, Nothing.mistakes, Positions.mistakes, Owners.mistakes, KeyPaths.mistakes, KeyPaths.enormous, Answers.mistakes,
        Proxies.mistakes, Lives.mistakes,
        Values.mistakes, Polls.mistakes, Sequences.mistakes, Tokens.mistakes, Messages.mistakes, Atomics.mistakes, Tools.mistakes,
    ]

    static let fatal = Owners.fatal + Proxies.fatal + Polls.fatal

    @Test("Rule 36b: a mistaken program goes on", arguments: survived.indices)
    func goesOn(index: Int) async {
        let mistakes = Self.survived[index]
        var next = 0
        while next < mistakes.all.count {
            let trail = Trail()
            let result = await #expect(processExitsWith: .success, "\(mistakes)") {
                [index, next = next as Int, path = trail.path as String] in
                let isGood = await SurfaceTests.survived[index].make(from: next, leaving: Trail(path: path))
                exit(isGood ? EXIT_SUCCESS : EXIT_FAILURE)
            }
            let (crash, complaints) = trail.take()
            for complaint in complaints { Issue.record("\(mistakes), \(complaint)") }
            guard result == nil, let crash else { return }
            // After a crash, the others are made in another process.
            Issue.record("\(mistakes), \(mistakes.all[crash]): the process has ended")
            next = crash + 1
        }
    }

    @Test("Rule 36b: a mistake that cannot be borne ends the program with a message that names it", arguments: fatal.indices)
    func endsWithAMessage(index: Int) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus], "\(Self.fatal[index])"
        ) { [index] in
            Watchdog.start()
            try await SurfaceTests.fatal[index].body()
            // What goes on ends well, and the test fails.
            exit(EXIT_SUCCESS)
        }
        guard let result else { return }
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains(Self.fatal[index].name), "\(Self.fatal[index]): \(result.exitStatus), \(message.prefix(400))")
        #expect(result.exitStatus != .signal(SIGSEGV) && result.exitStatus != .signal(SIGALRM), "\(Self.fatal[index])")
    }
}
