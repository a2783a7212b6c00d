enum Arguments: Equatable {
    case help
    case run(ticks: Int)

    static let usage = """
        usage: clock [--ticks N] [--help]

        Shows a wall clock in views that observe it, and lets views and clocks die in every order.

          --ticks N  how many ticks each scene lasts, five a second (1 to 1000, default 5)
          --help     print this and end

        """

    init(_ words: some Sequence<String>) throws(UsageError) {
        var ticks = 5
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--help", "-h":
                self = .help
                return
            case "--ticks":
                guard let value = words.next() else { throw UsageError(problem: "--ticks needs a number") }
                guard let number = Int(value), 1...1000 ~= number else {
                    throw UsageError(problem: "--ticks needs a number from 1 to 1000, not '\(value)'")
                }
                ticks = number
            default:
                throw UsageError(problem: "unknown option '\(word)'")
            }
        }
        self = .run(ticks: ticks)
    }
}
