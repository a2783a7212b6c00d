internal import CBenchmarks

/// Marks where instructions are to be counted, and says on the standard output what lies between the marks.
///
/// Valgrind's callgrind counts, told to begin anew at each beginning and to write down what it has at each end. Each row has a line of two
/// columns and two pairs of marks: its name and the divisor that makes one unit of the count; a pair with nothing in it, because what
/// callgrind writes first holds remains of what was before, and the pair that counts.
public struct InstructionMarks {
    /// Makes marks.
    public init() {}

    /// Marks some passes of a loop that has run already.
    func loop(_ name: String, parts: Int, _ body: (Int) -> Int) {
        let passes = max(8, 800 / parts)
        consume(body(passes))
        print("\(name)\t\(parts * passes)")
        mark { body(passes) }
    }

    /// Marks what can be done only once.
    func once(_ name: String, parts: Int, _ body: () -> Int) {
        print("\(name)\t\(parts)")
        mark(body)
    }

    private func mark(_ body: () -> Int) {
        benchmarks_count_begin()
        benchmarks_count_end()
        benchmarks_count_begin()
        let result = body()
        benchmarks_count_end()
        consume(result)
    }
}
