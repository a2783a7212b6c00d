internal import CBenchmarks

/// Marks where instructions are to be counted, and says on the standard output what lies between the marks.
///
/// Valgrind's callgrind counts, told to start at each beginning and to write down what it has at each end. A line of three columns goes
/// with each pair of marks: the row, how many instructions make one unit (as a divisor), and the number of passes. A row with two lines
/// is measured by their difference, so that what is done once does not count.
public struct InstructionMarks {
    /// Makes marks.
    public init() {}

    /// Marks some passes of a loop, and three times as many.
    func loop(_ name: String, parts: Int, _ body: (Int) -> Int) {
        let passes = max(8, 800 / parts)
        consume(body(passes))
        for times in [1, 3] {
            print("\(name)\t\(parts)\t\(times * passes)")
            mark { body(times * passes) }
        }
    }

    /// Marks what can be done only once.
    func once(_ name: String, parts: Int, _ body: () -> Int) {
        print("\(name)\t\(parts)\t1")
        mark(body)
    }

    private func mark(_ body: () -> Int) {
        benchmarks_count_begin()
        let result = body()
        benchmarks_count_end()
        consume(result)
    }
}
