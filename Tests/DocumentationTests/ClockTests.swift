import Foundation
import Testing

@Suite struct ClockTests {
    private let clock = BuiltProgram(named: "clock")

    /// The whole output of `clock --ticks 2`, with every time of day written as TIME.
    private static let transcript = """
        The present time first, then each change
          kitchen: TIME
          kitchen: added
          kitchen: TIME
          kitchen: TIME
          kitchen: asked again: alreadyObserved
          kitchen: shows the clock no longer, reason: observerDeinitialized
        A view that looks away for a while
          study: TIME
          study: shows the clock no longer, reason: removed
          study: ended: 2, asked again: 0
          study: TIME
          study: TIME
          study: TIME
          study: delivered 4, dropped 0, wrongIsolation 0, overtaken 0, ignored adds 0, ignored removes 1
          study: shows the clock no longer, reason: observerDeinitialized
        A clock that stands still for a while
          bedroom: TIME
          bedroom: isRunning was true, is false
          bedroom: isRunning was false, is true
          bedroom: TIME
          bedroom: TIME
          bedroom: delivered 5, dropped 0, wrongIsolation 0, overtaken 0, ignored adds 0, ignored removes 0
          bedroom: shows the clock no longer, reason: observerDeinitialized
        A view that dies while the clock goes on
          cellar: TIME
          cellar: shows the clock no longer, reason: observerDeinitialized
          nobody looks, but it is TIME
        A view that dies before its controller, which somebody else keeps
          attic: TIME
          the controller: delivered 1, dropped 1, wrongIsolation 0, overtaken 0, ignored adds 0, ignored removes 0
        A clock that dies while a view looks at it without retaining it
          hall: TIME
          hall: TIME
          hall: TIME
          hall: shows the clock no longer, reason: objectDeinitialized
        Counters
          hall, which is still there: delivered 3, dropped 0, wrongIsolation 0, overtaken 0, ignored adds 0, ignored removes 0
          broker, of all controllers that have ended: delivered 14, dropped 1, wrongIsolation 0, overtaken 0, ignored adds 2, ignored removes 1

        """

    @Test("The clock ends by itself and tells the whole story: initial, change, pause, deaths in both orders, counters")
    func theClockTellsTheWholeStory() throws {
        let run = try clock.run(["--ticks", "2"])
        let story = run.output.replacing(/\d\d:\d\d:\d\d\.\d/, with: "TIME")
        #expect(run.errors == "")
        #expect(story == Self.transcript)
        #expect(run.status == 0)
    }

    @Test("The clock shows the system's time: each time lies between the start of the program and its end, and none goes back")
    func theClockShowsTheTimeOfTheSystem() throws {
        let start = Date()
        let run = try clock.run(["--ticks", "1"])
        let length = Date().timeIntervalSince(start)

        // The times of day as seconds since the start, so that midnight does no harm. A time is cut off to tenths, not rounded.
        let day = 86_400.0
        let startOfDay = start.timeIntervalSince1970.truncatingRemainder(dividingBy: day) - 0.1
        var shown: [Double] = []
        for match in run.output.matches(of: /(\d\d):(\d\d):(\d\d\.\d)/) {
            let (hour, minute) = (try #require(Double(match.1)), try #require(Double(match.2)))
            let time = (hour * 60 + minute) * 60 + (try #require(Double(match.3)))
            shown.append((time - startOfDay + day).truncatingRemainder(dividingBy: day))
        }
        #expect(shown.count == 12)
        #expect(shown.allSatisfy { 0...(length + 0.1) ~= $0 }, "seconds since the start: \(shown), length: \(length)")
        #expect(shown == shown.sorted())
        #expect(Set(shown).count > 1)
    }

    @Test(
        "A bad option or value gives one clear line on the standard error and exit status 64",
        arguments: [
            (["--tick", "3"], "unknown option '--tick'"),
            (["5"], "unknown option '5'"),
            (["--ticks"], "--ticks needs a number"),
            (["--ticks", "0"], "--ticks needs a number from 1 to 1000, not '0'"),
            (["--ticks", "many"], "--ticks needs a number from 1 to 1000, not 'many'"),
            (["--ticks", "2", "--ticks", "-1"], "--ticks needs a number from 1 to 1000, not '-1'"),
        ])
    func aBadOptionIsRefused(arguments: [String], problem: String) throws {
        let run = try clock.run(arguments)
        #expect(run == BuiltProgram.Run(status: 64, output: "", errors: "clock: \(problem); see 'clock --help'\n"))
    }

    @Test("--help explains the options and runs nothing")
    func helpExplainsTheOptions() throws {
        let run = try clock.run(["--ticks", "3", "--help"])
        #expect(run.output.hasPrefix("usage: clock [--ticks N] [--help]\n"))
        #expect(run.output.contains("--ticks N") && run.output.contains("default 5"))
        #expect(run.errors == "")
        #expect(run.status == 0)
    }
}
