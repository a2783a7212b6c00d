/// One row of the table, before it is measured.
public struct Benchmark {
    /// What is measured; also what `--only` looks in and what budgets are looked up by.
    public let name: String
    /// Whose row it is.
    public private(set) var contender = Contender.limit
    /// What it answers; nothing where others are only compared with it.
    public private(set) var cases: [Case] = []
    /// What the figure counts.
    public let unit: Unit
    /// How many samples are taken at most: one in each round.
    let maximalRounds: Int
    /// Makes the function that takes one sample.
    let makeSampler: () -> () -> Double
    /// Runs it between marks, for those who count its instructions; absent where time must pass.
    let count: ((InstructionMarks) -> Void)?

    static let sampleTime = 20e6

    init(
        name: String, unit: Unit, maximalRounds: Int, makeSampler: @escaping () -> () -> Double,
        count: ((InstructionMarks) -> Void)? = nil
    ) {
        self.name = name
        self.unit = unit
        self.maximalRounds = maximalRounds
        self.makeSampler = makeSampler
        self.count = count
    }

    /// The same row, whose instructions nobody counts: others run while it waits.
    public var waiting: Benchmark {
        Benchmark(name: name, unit: unit, maximalRounds: maximalRounds, makeSampler: makeSampler)
    }

    /// The same row, as somebody's answer to some cases.
    public func by(_ contender: Contender, _ cases: [Case]) -> Benchmark {
        var row = self
        row.contender = contender
        row.cases = cases
        return row
    }

    /// Measures a loop.
    ///
    /// - Parameters:
    ///   - name: The name of the row.
    ///   - parts: How many like things one pass does; the figure is for one of them.
    ///   - setUp: Builds what the loop needs, anew for each sample, and returns the loop: it makes the given number of passes and returns
    ///     something that depends on all of them.
    /// - Returns: the row.
    public static func loop(_ name: String, parts: Int = 1, setUp: @escaping () -> (_ passes: Int) -> Int) -> Benchmark {
        Benchmark(
            name: name, unit: .nanoseconds, maximalRounds: .max,
            makeSampler: {
                var calibrated: Int?
                return {
                    let loop = setUp()
                    let passes = calibrated ?? calibrate(loop)
                    calibrated = passes
                    consume(loop(max(1, passes / 8)))
                    let elapsed = withExtendedLifetime(loop) { time { consume(loop(passes)) } }
                    return elapsed / Double(passes * parts)
                }
            }, count: { $0.loop(name, parts: parts, setUp()) })
    }

    /// Measures something that can be done only once after each setting up.
    ///
    /// - Parameters:
    ///   - name: The name of the row.
    ///   - parts: How many like things are done at once; the figure is for one of them.
    ///   - setUp: Builds what is needed, and returns what is timed. What that captures is released after the timing.
    /// - Returns: the row.
    public static func once(_ name: String, parts: Int, setUp: @escaping () -> () -> Int) -> Benchmark {
        Benchmark(
            name: name, unit: .nanoseconds, maximalRounds: .max,
            makeSampler: {
                {
                    consume(setUp()())
                    var elapsed = 0.0
                    var repetitions = 0
                    while elapsed < sampleTime, repetitions < 20 {
                        let body = setUp()
                        elapsed += withExtendedLifetime(body) { time { consume(body()) } }
                        repetitions += 1
                    }
                    return elapsed / Double(repetitions * parts)
                }
            }, count: { $0.once(name, parts: parts, setUp()) })
    }

    /// Takes a figure as it comes, in a few rounds only.
    public static func value(_ name: String, _ unit: Unit, rounds: Int, sample: @escaping () -> Double) -> Benchmark {
        Benchmark(name: name, unit: unit, maximalRounds: rounds, makeSampler: { sample })
    }

    /// Runs it between marks, if it has a number of instructions that is its own.
    public func countInstructions(_ marks: InstructionMarks) {
        count?(marks)
    }

    /// How many passes take about as long as a sample should.
    private static func calibrate(_ loop: (Int) -> Int) -> Int {
        var passes = 1
        while true {
            let elapsed = time { consume(loop(passes)) }
            if elapsed > sampleTime / 10 { return max(1, Int(Double(passes) * sampleTime / elapsed)) }
            passes *= 2
        }
    }

    private static func time(_ body: () -> Void) -> Double {
        let start = Clock.threadTime()
        body()
        return Clock.threadTime() - start
    }
}
